from torch.distributed.fsdp import fully_shard


def shard(model, mesh):
    fully_shard(model, mesh=mesh)  # <- FSDP003
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
