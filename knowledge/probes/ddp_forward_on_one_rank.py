"""A DDP module with buffers, called on rank 0 alone, waits for the others; its .module does not."""

from datetime import timedelta

import torch
import torch.distributed as dist
from _lab import hangs
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WAIT_S = 3


def probe(rank, world_size):
    """Evaluate on rank 0 with the wrapper and with the inner module."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)), process_group=short)
    x = torch.randn(8, 4)
    model(x).sum().backward()
    if rank == 0:
        model.module(x)  # no communication
        assert hangs(lambda: model(x), at_least_s=0.8 * WAIT_S)
    return {"model(x) on rank 0": f"waits {WAIT_S} s in the broadcast of the buffers", "model.module(x)": "returns"}
