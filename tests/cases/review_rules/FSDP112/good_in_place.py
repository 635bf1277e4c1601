import torch
from torch.distributed.fsdp import fully_shard


def main(model, loss):
    for layer in model.layers:
        layer.compile()
        fully_shard(layer)
    fully_shard(model)
    return torch.compile(loss)
