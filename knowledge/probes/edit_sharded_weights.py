"""Changing weights of a sharded model: DTensor operations and local shards work, writes to gathered copies are lost."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor, distribute_tensor


def probe(rank, world_size):
    """Clamp, soft-update from a twin, set one weight from a full tensor, and write while unsharded."""
    net, twin = shard(Net()), shard(Net())
    with torch.no_grad():
        for parameter, other in zip(net.parameters(), twin.parameters(), strict=True):
            parameter.clamp_(-0.1, 0.1)
            parameter.lerp_(other, 0.5)
            parameter.to_local().mul_(2.0)
        full = torch.arange(64.0).view(8, 8)
        weight = net.head.weight
        raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: weight.copy_(full))
        weight.copy_(distribute_tensor(full, weight.device_mesh, weight.placements))
        assert torch.equal(weight.full_tensor(), full)
        net.unshard()
        assert not isinstance(net.head.weight, DTensor)
        net.head.weight.zero_()
        net.reshard()
        assert torch.equal(net.head.weight.full_tensor(), full)
    net(batch(rank)).sum().backward()
    return {"clamp_, lerp_, local mul_": "work", "write while unsharded": "lost", "copy_ of a plain tensor": "refused"}
