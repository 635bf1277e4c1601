from torch.distributed.fsdp import FSDPModule, fully_shard


def shard(model, mesh):
    for layer in model.layers:
        fully_shard(layer.attention, mesh=mesh)
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)


def rest(model, mesh):
    fully_shard(model.head, mesh=mesh)
    for module in reversed(list(model.modules())):
        if not isinstance(module, FSDPModule):
            fully_shard(module, mesh=mesh)
