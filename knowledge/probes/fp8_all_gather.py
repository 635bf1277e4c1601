"""All-gather extensions: what a rank sends and how the parameter is rebuilt is up to the local tensor."""

import types

import torch
import torch.distributed as dist
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


def _pre(self, mesh, outer_size, outer_stride, module, mp_policy):
    scale = self.detach().abs().max()
    dist.all_reduce(scale, op=dist.ReduceOp.MAX)
    scale = scale / 127
    return ((self.detach() / scale).round().to(torch.int8),), scale


def _post(self, outputs, scale, param_dtype, *, out=None):
    (packed,) = outputs
    value = (packed.float() * scale).view(4, 4)
    if out is not None:
        out.copy_(value)
        return None
    return value, (packed,)


def probe(rank, world_size):
    """Send a weight as int8 and a scale, and compare the result with the full weight."""
    net = fully_shard(nn.Linear(4, 4, bias=False))
    inner = net.weight._local_tensor
    inner.fsdp_pre_all_gather = types.MethodType(_pre, inner)
    raises(AssertionError, "Both fsdp_pre_all_gather and fsdp_post_all_gather", lambda: net(torch.eye(4)))
    net = fully_shard(nn.Linear(4, 4, bias=False))
    inner = net.weight._local_tensor
    inner.fsdp_pre_all_gather = types.MethodType(_pre, inner)
    inner.fsdp_post_all_gather = types.MethodType(_post, inner)
    full = net.weight.full_tensor().detach()
    sizes = []
    name = "all_gather_single" if hasattr(dist, "all_gather_single") else "all_gather_into_tensor"
    original = getattr(dist, name)

    def noting(*args, **kwargs):
        sent = args[1] if len(args) > 1 else kwargs["input_tensor"]
        sizes.append((str(sent.dtype).removeprefix("torch."), sent.numel()))
        return original(*args, **kwargs)

    setattr(dist, name, noting)
    try:
        out = net(torch.eye(4)).T
    finally:
        setattr(dist, name, original)
    assert sizes == [("int8", 8)], sizes
    step = float(full.abs().max()) / 127
    assert not torch.equal(out, full)
    assert float((out - full).abs().max()) <= 0.51 * step
    return {"sent": sizes, "weight": "within half a quantisation step"}
