import torch
from torch.distributed.fsdp import fully_shard


def main(model):
    for name, layer in model.layers.named_children():
        model.layers.register_module(name, torch.compile(layer))
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
