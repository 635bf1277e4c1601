"""A loss computed from bf16 logits is bf16, with steps of 1/32 above 4; from logits.float() it is fp32."""

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def _losses(output_dtype, cast):
    torch.manual_seed(0)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, output_dtype=output_dtype)
    net = fully_shard(nn.Linear(8, 64), mp_policy=policy)
    logits = net(torch.randn(32, 8))
    logits = logits.float() if cast else logits
    return nn.functional.cross_entropy(logits, torch.arange(32))


def probe(rank, world_size):
    """Compute the same loss in three ways."""
    low, cast, out = _losses(None, False), _losses(None, True), _losses(torch.float32, False)
    assert low.dtype == torch.bfloat16
    assert cast.dtype == out.dtype == torch.float32
    assert float(cast) == float(out)
    assert 4 < float(low) < 8, float(low)
    assert float(low) * 32 == round(float(low) * 32), float(low)
    assert float(cast) * 32 != round(float(cast) * 32)
    return {
        "bf16 logits": "loss a multiple of 1/32",
        "logits.float() or output_dtype": "fp32",
    }
