from torch.distributed.fsdp import fully_shard
def apply(model, mesh):
    kw = {"mesh": mesh, "reshard_after_forward": False}
    for b in model.blocks:
        fully_shard(b, **kw)  # <- FSDP029
    fully_shard(model, **kw)
