"""FSDP1: an optimizer step after a backward inside no_sync meets the unsharded gradient."""

import torch
from _lab import batch, raises
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _run(rank, last_inside, **options):
    net = FSDP(nn.Linear(8, 8), device_id=torch.device("cpu"), **options)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    with net.no_sync():
        net(batch(rank)).sum().backward()
        if last_inside:
            net(batch(rank)).sum().backward()
    if not last_inside:
        net(batch(rank)).sum().backward()
    optimizer.step()


def probe(rank, world_size):
    """Put the last micro-batch inside no_sync, and outside."""
    text = raises(RuntimeError, "size", lambda: _run(rank, True))
    other = raises(Exception, "", lambda: _run(rank, True, use_orig_params=True))
    _run(rank, False)
    _run(rank, False, use_orig_params=True)
    return {"last inside no_sync": text[:90], "use_orig_params=True": other[:90], "last outside": "steps"}
