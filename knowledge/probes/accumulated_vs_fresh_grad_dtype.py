"""A parameter used first in the last micro-batch brings a bf16 gradient beside accumulated fp32 ones."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Optional(nn.Module):
    """Two layers, of which the second is used on demand."""

    def __init__(self):
        """Make both layers."""
        super().__init__()
        self.always = nn.Linear(4, 4)
        self.rare = nn.Linear(4, 4)

    def forward(self, x, both):
        """Use `rare` only when `both` is set."""
        x = self.always(x)
        return self.rare(x) if both else x


def _accumulate(reduce_dtype):
    net = Optional()
    fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce_dtype))
    x = torch.ones(2, 4)
    net.set_requires_gradient_sync(False)
    net(x, False).sum().backward()
    net.set_requires_gradient_sync(True)
    net(x, True).sum().backward()
    return net


def probe(rank, world_size):
    """Accumulate two micro-batches, the second with one layer more."""
    text = raises(AssertionError, "uniform gradient dtype", lambda: _accumulate(torch.float32))
    net = _accumulate(None)  # reduces in the compute dtype, so nothing is kept in another one
    assert net.rare.weight.grad.dtype == torch.float32
    return {"reduce_dtype=float32": text[:60], "reduce_dtype=None": "runs"}
