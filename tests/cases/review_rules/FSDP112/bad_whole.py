import torch
from torch.distributed.fsdp import fully_shard


def main(model):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    return torch.compile(model)  # <- FSDP112
