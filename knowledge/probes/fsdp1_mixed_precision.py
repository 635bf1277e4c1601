"""FSDP1's MixedPrecision: implicit reduce dtype, buffers cast, gradients back in fp32 or kept low."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision

BF16 = torch.bfloat16


class Scaled(nn.Module):
    """A layer and a buffer."""

    def __init__(self):
        """Make both."""
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        """Multiply the layer's output by the buffer."""
        return self.layer(x) * self.scale


def _run(**options):
    """Return output, buffer, reduction and gradient dtypes."""
    net = FSDP(Scaled(), device_id=torch.device("cpu"), mixed_precision=MixedPrecision(**options))
    reduced = []
    name = "reduce_scatter_single" if hasattr(dist, "reduce_scatter_single") else "reduce_scatter_tensor"
    original = getattr(dist, name)

    def noting(*args, **kwargs):
        reduced.append(args[0].dtype)
        return original(*args, **kwargs)

    setattr(dist, name, noting)
    try:
        out = net(torch.ones(2, 4))
        out.sum().backward()
    finally:
        setattr(dist, name, original)
    kinds = [out.dtype, net.scale.dtype, reduced[0], next(net.parameters()).grad.dtype]
    return [str(kind).removeprefix("torch.") for kind in kinds]


def probe(rank, world_size):
    """Four settings."""
    assert _run(param_dtype=BF16) == ["float32", "float32", "bfloat16", "float32"]
    assert _run(param_dtype=BF16, buffer_dtype=BF16) == ["bfloat16", "bfloat16", "bfloat16", "float32"]
    assert _run(param_dtype=BF16, reduce_dtype=torch.float32)[2:] == ["float32", "float32"]
    low = _run(param_dtype=BF16, keep_low_precision_grads=True)
    assert low[3] == "bfloat16", low
    return {
        "param_dtype=bf16": "reduces in bf16, gradient fp32, buffer fp32",
        "keep_low_precision_grads": "gradient bf16",
    }
