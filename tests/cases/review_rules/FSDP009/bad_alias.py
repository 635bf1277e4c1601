from functools import partial

import torch
import torch.distributed.fsdp as fsdp
from torch import nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.embed = nn.Embedding(100, 8)
        self.stack = nn.ModuleList(nn.Linear(8, 8) for _ in range(n))
        self.head = nn.Linear(8, 100)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.stack:
            x = layer(x)
        return self.head(x)


def run(mesh, loader):
    net = Net(4)
    wrap = partial(fsdp.fully_shard, mesh=mesh)
    for index, layer in enumerate(net.stack):
        wrap(layer, reshard_after_forward=index < 3)  # <- FSDP009
    for ids in loader:
        net(ids).sum().backward()
