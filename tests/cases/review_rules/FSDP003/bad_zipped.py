from torch.distributed.fsdp import fully_shard
def shard(model, mesh):
    plan = [(model, False), *[(b, True) for b in model.blocks]]
    for module, raf in plan:
        fully_shard(module, mesh=mesh, reshard_after_forward=raf)  # <- FSDP003
