"""FSDP1 flattens floating-point parameters of one dtype only."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Quantized(nn.Module):
    """A float layer beside a frozen int8 weight."""

    def __init__(self, dtype):
        """Keep the codes in `dtype`."""
        super().__init__()
        self.adapter = nn.Linear(8, 8, bias=False)
        self.codes = nn.Module()
        self.codes.weight = nn.Parameter(torch.ones(8, 8).to(dtype), requires_grad=False)

    def forward(self, x):
        """Apply both."""
        return x @ self.codes.weight.to(x.dtype) + self.adapter(x)


def probe(rank, world_size):
    """Wrap int8 beside floats, int8 alone, and the same storage as float32."""
    cpu = torch.device("cpu")
    mixed = raises(
        ValueError, "uniform dtype", lambda: FSDP(Quantized(torch.int8), device_id=cpu, use_orig_params=True)
    )
    alone = raises(ValueError, "integer", lambda: FSDP(Quantized(torch.int8).codes, device_id=cpu))
    ignored = Quantized(torch.int8)
    kept_out = FSDP(ignored, ignored_states=[ignored.codes], device_id=cpu)
    kept_out(torch.ones(2, 8)).sum().backward()
    stored = FSDP(Quantized(torch.float32), device_id=cpu, use_orig_params=True)
    stored(torch.ones(2, 8)).sum().backward()
    return {"int8 and float": mixed, "int8 alone": alone, "ignored": "trains", "stored as float": "trains"}
