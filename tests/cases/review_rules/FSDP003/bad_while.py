from torch.distributed.fsdp import fully_shard
def shard(model, mesh):
    stack = [model]
    fully_shard(model, mesh=mesh)  # <- FSDP003
    for name, child in model.layers.named_children():
        fully_shard(child, mesh=mesh)
