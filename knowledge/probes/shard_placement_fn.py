"""shard_placement_fn shards another dimension; other dimensions than 0 must divide evenly."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Shard


def _largest_dim(parameter):
    return Shard(max(range(parameter.ndim), key=lambda dim: parameter.shape[dim]))


def probe(rank, world_size):
    """Shard a 1 x 8 weight on dim 1, a negative dim, an uneven dim 1, and give a non-Shard."""
    net = fully_shard(nn.Linear(8, 1), shard_placement_fn=_largest_dim)
    assert net.weight.placements == (Shard(1),)
    assert tuple(net.weight.to_local().shape) == (1, 8 // world_size)
    net(torch.ones(2, 8)).sum().backward()
    assert net.weight.grad.placements == (Shard(1),)
    default = fully_shard(nn.Linear(8, 1), shard_placement_fn=lambda _: None)
    assert default.weight.placements == (Shard(0),)
    last = fully_shard(nn.Linear(8, 2, bias=False), shard_placement_fn=lambda _: Shard(-1))
    assert last.weight.placements == (Shard(1),)
    message = raises(
        NotImplementedError,
        "uneven sharding on dim 1",
        lambda: fully_shard(nn.Linear(7, 2, bias=False), shard_placement_fn=lambda _: Shard(1)),
    )
    return {"local shape": [1, 8 // world_size], "uneven dim 1": message}
