"""Autocast of the policy's dtype changes nothing; another dtype overrides the matmuls; alone it gathers fp32."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

X = torch.ones(2, 4)


def _net(policy):
    torch.manual_seed(0)
    return fully_shard(nn.Linear(4, 4), mp_policy=policy)


def _gathered(call):
    """Return the output of `call()` and the dtypes of its all-gathers."""
    seen = []
    name = "all_gather_single" if hasattr(dist, "all_gather_single") else "all_gather_into_tensor"
    original = getattr(dist, name)

    def noting(*args, **kwargs):
        seen.append((args[0] if args else kwargs["output_tensor"]).dtype)
        return original(*args, **kwargs)

    setattr(dist, name, noting)
    try:
        return call(), seen
    finally:
        setattr(dist, name, original)


def probe(rank, world_size):
    """Compare outputs and the dtype of the all-gather."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    plain, seen = _gathered(lambda: _net(policy)(X))
    assert [plain.dtype, *seen] == [torch.bfloat16, torch.bfloat16], seen
    with torch.autocast("cpu", torch.bfloat16):
        same = _net(policy)(X)
    assert same.dtype == torch.bfloat16
    assert torch.equal(same, plain)
    with torch.autocast("cpu", torch.float16):
        other = _net(policy)(X)
    assert other.dtype == torch.float16, other.dtype
    net = _net(MixedPrecisionPolicy())
    with torch.autocast("cpu", torch.bfloat16):
        alone, seen = _gathered(lambda: net(X))
    assert [alone.dtype, *seen] == [torch.bfloat16, torch.float32], seen
    alone.sum().backward()
    assert net.weight.grad.dtype == torch.float32
    return {
        "same dtype": "bf16 result is equal",
        "autocast fp16 over a bf16 policy": "output fp16",
        "autocast alone": "computes in bf16, gathers and reduces fp32",
    }
