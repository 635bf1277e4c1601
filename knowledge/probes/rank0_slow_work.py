"""Work on rank 0 that takes longer than the group's time-out kills the waiting ranks; a longer time-out does not."""

import time
from datetime import timedelta

import torch
import torch.distributed as dist
from _lab import hangs

WAIT_S = 2


def probe(rank, world_size):
    """Let rank 0 work for twice the time-out before a barrier, on a short and on a long group."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    long = dist.new_group(timeout=timedelta(seconds=60))
    for group in (short, long):
        dist.all_reduce(torch.ones(1), group=group)
    if rank == 0:
        time.sleep(1.6 * WAIT_S)
    else:
        assert hangs(lambda: dist.barrier(group=short), at_least_s=0.8 * WAIT_S)
    if rank == 0:
        time.sleep(0.6 * WAIT_S)
    dist.barrier(group=long)
    return {"time-out shorter than the work": "the waiting rank fails", "longer": "works"}
