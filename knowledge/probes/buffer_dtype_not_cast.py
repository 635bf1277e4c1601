"""MixedPrecisionPolicy leaves buffers in fp32, and they promote what they touch; output_dtype casts the result."""

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Scaled(nn.Module):
    """A layer whose output is multiplied by a buffer."""

    def __init__(self):
        """Make layer and buffer."""
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        """Note the layer's own dtype, return the product."""
        y = self.layer(x)
        self.seen = y.dtype
        return y * self.scale


def probe(rank, world_size):
    """Read buffer and output dtypes with and without output_dtype, and after casting the buffer."""
    x = torch.ones(2, 4)
    net = fully_shard(Scaled(), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    out = net(x)
    assert net.seen == torch.bfloat16
    assert net.scale.dtype == torch.float32
    assert out.dtype == torch.float32, out.dtype
    net.scale = net.scale.bfloat16()
    assert net(x).dtype == torch.bfloat16
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, output_dtype=torch.float32)
    linear = fully_shard(nn.Linear(4, 4), mp_policy=policy)
    assert linear(x).dtype == torch.float32
    bare = fully_shard(nn.Linear(4, 4), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    assert bare(x).dtype == torch.bfloat16
    return {
        "buffer": "float32",
        "output times buffer": "float32",
        "output_dtype=float32": "float32",
        "default": "bfloat16",
    }
