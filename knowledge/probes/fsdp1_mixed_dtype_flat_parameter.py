"""FSDP1 flattens a unit into one tensor, so its parameters must have one dtype, and one requires_grad."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _pair():
    return nn.Sequential(nn.Linear(4, 4).bfloat16(), nn.LayerNorm(4))


def probe(rank, world_size):
    """Wrap a bf16 layer and an fp32 norm in one unit, and in two."""
    cpu = torch.device("cpu")
    text = raises(ValueError, "uniform dtype", lambda: FSDP(_pair(), device_id=cpu))
    assert raises(ValueError, "uniform dtype", lambda: FSDP(_pair(), device_id=cpu, use_orig_params=True))
    pair = _pair()
    FSDP(nn.Sequential(pair[0], FSDP(pair[1], device_id=cpu)), device_id=cpu)
    return {"one unit": text, "two units": "constructed"}
