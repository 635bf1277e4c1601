"""FSDP1 is a wrapper: FSDP(child) without assignment flattens the child, but its parent goes on calling it bare."""

import torch
from _lab import Net, batch, raises
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _units(net):
    return sum(isinstance(module, FSDP) for module in net.modules())


def probe(rank, world_size):
    """Throw the wrapper away, with both kinds of parameters, then assign it."""
    cpu = torch.device("cpu")
    errors = {}
    for use_orig_params in (False, True):
        discarded = Net()
        FSDP(discarded.head, device_id=cpu, use_orig_params=use_orig_params)
        assert _units(discarded) == 0
        errors[use_orig_params] = raises(RuntimeError, "", lambda net=discarded: net(batch(rank)))
    kept = Net()
    kept.head = FSDP(kept.head, device_id=cpu)
    assert _units(kept) == 1
    kept(batch(rank)).sum().backward()
    return {"flat parameters": errors[False][:60], "original parameters": errors[True][:60], "assigned": "trains"}
