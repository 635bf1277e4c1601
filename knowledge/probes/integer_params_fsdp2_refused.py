"""Before torch 2.12 fully_shard refused integer parameters, frozen or not."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Shard a module with a frozen uint8 parameter, then with the parameter ignored."""
    net = nn.Linear(8, 8)
    net.codes = nn.Parameter(torch.ones(8, 8, dtype=torch.uint8), requires_grad=False)
    message = raises(RuntimeError, "floating point", lambda: fully_shard(net))
    other = nn.Linear(8, 8)
    other.codes = nn.Parameter(torch.ones(8, 8, dtype=torch.uint8), requires_grad=False)
    fully_shard(other, ignored_params={other.codes})
    other(torch.ones(2, 8)).sum().backward()
    return {"uint8": message[:70], "ignored": "trains"}
