import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def shard(model, mesh):
    options = {"mesh": mesh, "mp_policy": MixedPrecisionPolicy(torch.bfloat16, torch.float32)}
    for layer in model.layers:
        fully_shard(layer.router, mesh=mesh)
        fully_shard(layer, **options)
    fully_shard(model, **options)


def none(model):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
