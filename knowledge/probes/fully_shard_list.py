"""A list makes one group: the first member's forward gathers all of it; a nested member is dropped; no list as root."""

import torch
from _lab import Net, batch, raises
from torch import nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Group input layer and head, look at the head while the input layer runs."""
    net = Net()
    for block in net.blocks:
        fully_shard(block)
    grouped = fully_shard([net.inp, net.head])
    assert isinstance(grouped, list)
    fully_shard(net)
    seen = []
    net.inp.register_forward_pre_hook(lambda *_: seen.append(isinstance(net.head.weight, DTensor)))
    net(batch(rank)).sum().backward()
    assert seen == [False], seen
    pair = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
    fully_shard([pair[0], pair[1]])
    message = raises(RuntimeError, "requires a single root module", lambda: pair[0](torch.ones(2, 4)))
    outer = Net()
    fully_shard([outer, outer.head])
    assert isinstance(outer, FSDPModule)
    assert not isinstance(outer.head, FSDPModule)
    return {"head is gathered with the input layer": True, "list as root": message[:60]}
