from torch.distributed.fsdp import fully_shard
def shard(model, mesh, leaf):
    for m in reversed(list(model.modules())):
        if isinstance(m, leaf):
            fully_shard(m, mesh=mesh)
    fully_shard(model, mesh=mesh)
