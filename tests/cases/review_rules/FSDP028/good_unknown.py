from torch.distributed.fsdp import fully_shard


def apply(model, mesh, factor):
    fully_shard(model.a, mesh=mesh, reshard_after_forward=factor)
    fully_shard(model, mesh=mesh, reshard_after_forward=4)
