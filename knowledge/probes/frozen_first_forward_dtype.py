"""A group that was all frozen at its first forward keeps no dtype: unfrozen later, its gradient fails."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def _net():
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    return fully_shard(nn.Sequential(nn.Linear(4, 4)), mp_policy=policy)


def probe(rank, world_size):
    """Freeze before the first forward and unfreeze after it; then freeze after the first forward."""
    x = torch.ones(2, 4)
    net = _net().requires_grad_(False)
    net(x)
    net.requires_grad_(True)
    text = raises(RuntimeError, "", lambda: net(x).sum().backward())
    net = _net()
    net(x)  # first forward with trainable parameters settles the dtypes
    net.requires_grad_(False)
    net(x)
    net.requires_grad_(True)
    net(x).sum().backward()
    assert net[0].weight.grad.dtype == torch.float32
    return {"frozen at the first forward": text[:80], "frozen later": "gradient fp32"}
