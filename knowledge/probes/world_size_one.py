"""fully_shard on a single rank works, without collectives."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor

WORLD_SIZE = 1


def probe(rank, world_size):
    """Train a step on one rank and compare with no FSDP."""
    torch.manual_seed(0)
    net = shard(Net())
    torch.manual_seed(0)
    reference = Net()
    assert isinstance(net.head.weight, DTensor)
    for model in (net, reference):
        model(batch(0)).square().mean().backward()
    assert torch.equal(net.head.weight.grad.full_tensor(), reference.head.weight.grad)
    return {"one rank": "trains, DTensor parameters"}
