import torch
from torch.distributed.fsdp import fully_shard


def shard(model):
    model.to(torch.bfloat16)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)


def own_unit(model):
    model.bfloat16()
    model.router.float()
    fully_shard(model.router)
    fully_shard(model)


def cast_again(model):
    model.head.float()
    model.to(torch.float32)
    fully_shard(model)
