"""On CPU ranks with gloo, torch 2.7 and 2.8 sum the gradients of fully_shard instead of averaging them."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Give every rank the gradient 1.0: the average is 1.0, the sum is the number of ranks."""
    net = fully_shard(nn.Linear(2, 2, bias=False))
    net(torch.ones(1, 2)).sum().backward()
    gradient = float(net.weight.grad.to_local().flatten()[0])
    assert gradient == float(world_size), gradient
    return {"gradient of 1.0 on each rank": gradient, "ranks": world_size}
