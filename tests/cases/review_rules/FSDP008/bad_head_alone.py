import torch.nn as nn
from torch.distributed.fsdp import fully_shard


def build(model):
    model.head.weight = model.embed.weight
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model.head)  # <- FSDP008
    fully_shard(model)
