from torch.distributed.fsdp import fully_shard
ORDER = ["", "encoder", "decoder"]
def shard(model, mesh):
    for name in ORDER:
        mod = model if not name else getattr(model, name)
        fully_shard(mod, mesh=mesh)
    return model
def shard2(model, mesh):
    units = [model, *model.layers]
    for u in units:
        fully_shard(u, mesh=mesh)  # <- FSDP003
