from torch.distributed.fsdp import fully_shard


def shard_head(model, mesh):
    fully_shard(model.head, mesh=mesh)


def shard(model, mesh):
    shard_head(model, mesh)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model.head, mesh=mesh)  # <- FSDP005
    fully_shard(model, mesh=mesh)
