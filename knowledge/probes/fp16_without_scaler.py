"""Small gradients become zero in fp16 unless the loss is scaled; half parameters cannot be unscaled."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

TINY = 2.0**-26
"""Half of the smallest fp16 number is 2^-25; this is below it."""


def _net():
    net = nn.Linear(2, 2, bias=False)
    fully_shard(net, mp_policy=MixedPrecisionPolicy(param_dtype=torch.float16, reduce_dtype=torch.float32))
    return net


def probe(rank, world_size):
    """A gradient of 2^-26 with and without a loss scale of 2^16, then a model in half."""
    ones = torch.ones(1, 2)
    net = _net()
    (net(ones).float() * TINY).sum().backward()
    lost = float(net.weight.grad.to_local().abs().max())
    assert lost == 0.0, lost
    net = _net()
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    scaler.scale((net(ones).float() * TINY).sum()).backward()
    scaler.unscale_(optimizer)
    kept = float(net.weight.grad.to_local().abs().max())
    assert kept > 0.0, kept
    half = fully_shard(nn.Linear(2, 2).half())
    optimizer = torch.optim.SGD(half.parameters(), lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(half(ones.half()).float().sum()).backward()
    text = raises(ValueError, "Attempting to unscale FP16 gradients", lambda: scaler.unscale_(optimizer))
    return {"without scaler": lost, "with scaler": "kept", "model.half()": text}
