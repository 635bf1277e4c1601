"""The root of a model that only runs forward stays unsharded unless told otherwise."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def _root_is_sharded(net, rank):
    with torch.no_grad():
        net(batch(rank))
    return isinstance(net.head.weight, DTensor)


def probe(rank, world_size):
    """Run a frozen model with the default, with True, and with reshard() after use; train a second model beside it."""
    default = shard(Net().requires_grad_(False))
    assert not _root_is_sharded(default, rank)
    default.reshard()
    assert isinstance(default.head.weight, DTensor)
    reference = shard(Net().requires_grad_(False), reshard_after_forward=True)
    assert _root_is_sharded(reference, rank)
    policy = shard(Net())
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    for _ in range(2):
        with torch.no_grad():
            target = reference(batch(rank))
        (policy(batch(rank)) - target).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    assert isinstance(reference.head.weight, DTensor)
    return {"root sharded after forward, default": False, "with True": True, "after reshard()": True}
