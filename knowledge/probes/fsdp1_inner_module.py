"""FSDP1: calling the inner module directly skips the all-gather and meets flat or freed weights."""

import torch
from _lab import Net, batch, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def probe(rank, world_size):
    """Call wrapper, inner module, and inner module within summon_full_params."""
    net = Net()
    wrapped = FSDP(net, device_id=torch.device("cpu"), use_orig_params=True)
    x = batch(rank)
    with torch.no_grad():
        expected = wrapped(x)
        message = raises(RuntimeError, "", lambda: net(x))
        raises(RuntimeError, "", lambda: wrapped.module(x))
        with FSDP.summon_full_params(wrapped):
            assert torch.allclose(net(x), expected)
    return {"inner module": message[:60], "within summon_full_params": "works"}
