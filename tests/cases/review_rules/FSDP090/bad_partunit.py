import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Heads(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.proj = heads, nn.Linear(d, d)

    def forward(self, x):
        return self.proj(x).unflatten(-1, (self.heads, -1))


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.split = Heads(d, 8)
        self.scale = nn.Parameter(torch.ones(8, 1))

    def forward(self, x):
        parts = self.split(x)
        parts *= self.scale  # <- FSDP090
        return parts.flatten(-2)


def shard(layers, mesh):
    for layer in layers:
        fully_shard(layer.split, mesh=mesh)
        fully_shard(layer, mesh=mesh)
    return layers


def main(mesh):
    return shard([Layer(64), Layer(64)], mesh)
