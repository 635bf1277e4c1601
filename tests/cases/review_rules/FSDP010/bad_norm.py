import torch
from torch.distributed.fsdp import fully_shard


def shard(model):
    model.to(torch.bfloat16)
    for layer in model.layers:
        layer.norm.float()  # <- FSDP010
        fully_shard(layer)
    fully_shard(model)
