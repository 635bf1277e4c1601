"""Buffers are neither sharded nor synchronised; fully_shard leaves them whole on every rank."""

import torch
import torch.distributed as dist
from _lab import batch
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """BatchNorm's running mean after one step on other data on each rank."""
    net = fully_shard(nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)))
    mean = net[1].running_mean
    assert not isinstance(mean, DTensor)
    assert tuple(mean.shape) == (8,)
    net(batch(rank)).sum().backward()
    copies = [torch.empty_like(mean) for _ in range(world_size)]
    dist.all_gather(copies, net[1].running_mean)
    assert not torch.equal(copies[0], copies[1])
    return {"buffer": "plain, whole", "running mean equal on the ranks": False}
