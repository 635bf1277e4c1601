"""fully_shard refuses non-contiguous parameters."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Shard a layer whose weight is a transposed view, and the same made contiguous."""
    layer = nn.Linear(4, 6, bias=False)
    layer.weight = nn.Parameter(torch.randn(4, 6).t())
    message = raises(NotImplementedError, "non-contiguous", lambda: fully_shard(layer))
    fixed = nn.Linear(4, 6, bias=False)
    fixed.weight = nn.Parameter(torch.randn(4, 6).t().contiguous())
    fully_shard(fixed)(torch.ones(2, 4)).sum().backward()
    return {"transposed view": message[:60], "contiguous": "trains"}
