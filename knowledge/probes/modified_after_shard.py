"""Modules and parameters that are added after fully_shard are not sharded and not reduced."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard
from torch import nn
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Replace the head by a larger one after sharding, and compare its gradient across ranks."""
    net = shard(Net())
    torch.manual_seed(1)
    net.head = nn.Linear(8, 12)
    assert not isinstance(net.head.weight, DTensor)
    net(batch(rank)).square().mean().backward()
    copies = [torch.empty_like(net.head.weight.grad) for _ in range(world_size)]
    dist.all_gather(copies, net.head.weight.grad)
    assert not torch.equal(copies[0], copies[1])
    before = Net()
    before.head = nn.Linear(8, 12)
    shard(before)(batch(rank)).square().mean().backward()
    assert isinstance(before.head.weight.grad, DTensor)
    return {"replaced after": "plain, other gradient on each rank", "replaced before": "sharded"}
