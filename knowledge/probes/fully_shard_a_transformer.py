"""Blocks, then the root: units, DTensors, half of the elements each, outputs and gradients of the unsharded model."""

import copy

import torch
from _lab import Net, batch, shard
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor

BLOCKS = 4


def _gradients(net):
    whole = [getattr(p.grad, "full_tensor", lambda p=p: p.grad)().flatten() for p in net.parameters()]
    return torch.cat(whole)


def probe(rank, world_size):
    """Shard a copy; compare it on this rank's half with the plain model on the whole."""
    plain = Net(blocks=BLOCKS)
    net = shard(copy.deepcopy(plain))
    units = [name for name, module in net.named_modules() if isinstance(module, FSDPModule)]
    assert len(units) == BLOCKS + 1, units
    assert all(isinstance(parameter, DTensor) for parameter in net.parameters())
    whole = sum(parameter.numel() for parameter in plain.parameters())
    mine = sum(parameter.to_local().numel() for parameter in net.parameters())
    assert mine * world_size == whole, (mine, whole)
    inputs = torch.cat([batch(other) for other in range(world_size)])
    expected, outputs = plain(inputs), net(batch(rank))
    assert torch.allclose(outputs, expected.chunk(world_size)[rank], atol=1e-6)
    expected.square().mean().backward()
    outputs.square().mean().backward()
    # gloo summed where it should have averaged before torch 2.9: the direction is the claim
    likeness = torch.nn.functional.cosine_similarity(_gradients(net), _gradients(plain), dim=0).item()
    assert abs(likeness - 1) < 1e-5, likeness
    return {"units": len(units), "share of each rank": 1 / world_size, "outputs and gradients": "the unsharded model's"}
