"""What gloo says when a collective times out, and that the group is of no use afterwards."""

from datetime import timedelta

import torch
import torch.distributed as dist
from _lab import raises

WAIT_S = 2


def probe(rank, world_size):
    """Let rank 0 alone enter a collective, and look at the error."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    dist.all_reduce(torch.ones(1), group=short)
    dist.barrier()
    if rank == 0:
        message = raises(RuntimeError, "Timed out waiting", lambda: dist.all_reduce(torch.ones(1), group=short))
        assert f"{1000 * WAIT_S}ms" in message, message
    dist.all_reduce(torch.ones(1))  # another group still works
    return {"rank 0 says": "Timed out waiting 2000ms for ... operation to complete", "process": "goes on"}
