"""fully_shard averages the gradients over the ranks, on CPU ranks with gloo too."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Give rank r the gradient r + 1: the average is (world_size + 1) / 2."""
    net = fully_shard(nn.Linear(2, 2, bias=False))
    net(torch.full((1, 2), rank + 1.0)).sum().backward()
    gradient = float(net.weight.grad.to_local().flatten()[0])
    assert gradient == (world_size + 1) / 2, gradient
    return {"gradients 1.0 and 2.0 become": gradient}
