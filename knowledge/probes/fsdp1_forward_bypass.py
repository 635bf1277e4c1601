"""FSDP1: m(x) and m.forward(x) gather the parameters, m.module(x) and an unwrapped child do not."""

import torch
from _lab import Net, batch, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _net():
    return FSDP(Net(), device_id=torch.device("cpu"))


def probe(rank, world_size):
    """Call the wrapper and what is inside."""
    x = batch(rank)
    assert _net()(x).shape == _net().forward(x).shape == (4, 8)
    inside = _net()
    inside(x).sum().backward()
    text = raises(RuntimeError, "", lambda: inside.module(x))
    child = raises(RuntimeError, "", lambda: inside.module.inp(x))
    return {"m.module(x)": text[:70], "m.module.inp(x)": child[:70], "m.forward(x)": "runs"}
