"""The function that shards is given the model, of which it knows the parts' names."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Tokens(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Conv1d(80, dim, 3)

    def forward(self, mel):
        return self.conv(mel).transpose(1, 2)


class Listener(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.tokens = Tokens(dim)
        self.place = nn.Parameter(torch.zeros(1, 1500, dim))
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(dim, 8) for _ in range(6))

    def forward(self, mel):
        hidden = self.tokens(mel)
        hidden.add_(self.place)  # <- FSDP090
        for layer in self.layers:
            hidden = layer(hidden)
        return hidden


def shard(listener, mesh):
    fully_shard(listener.tokens, mesh=mesh)
    for layer in listener.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(listener, mesh=mesh)
