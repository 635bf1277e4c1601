"""Trainable parameters of one unit must share a dtype, seen at the first forward; frozen ones are exempt."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


class Mixed(nn.Module):
    """Two layers in different dtypes, each fed in its own."""

    def __init__(self):
        """Make a bf16 layer and an fp32 layer."""
        super().__init__()
        self.low = nn.Linear(4, 4, bias=False).bfloat16()
        self.high = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        """Compute each layer in its dtype."""
        return self.high(self.low(x.bfloat16()).float())


def probe(rank, world_size):
    """Shard as one unit, as two units, and as one unit with the bf16 part frozen."""
    x = torch.ones(2, 4)
    one = fully_shard(Mixed())
    message = raises(AssertionError, "uniform original parameter dtype", lambda: one(x))
    two = Mixed()
    fully_shard(two.low)
    fully_shard(two)
    two(x).sum().backward()
    frozen = Mixed()
    frozen.low.requires_grad_(False)
    fully_shard(frozen)
    frozen(x).sum().backward()
    assert frozen.high.weight.grad is not None
    assert frozen.low.weight.grad is None
    return {"one unit": message[:70], "two units": "trains", "bf16 part frozen": "trains"}
