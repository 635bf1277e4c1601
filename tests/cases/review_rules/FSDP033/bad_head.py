import torch.nn as nn
from torch.distributed.fsdp import fully_shard


def shard(model):
    for layer in model.layers:
        fully_shard(layer)
    return fully_shard(model)


def main(model, classes):
    model = shard(model)
    model.head = nn.Linear(16, classes)  # <- FSDP033
    return model
