"""monitored_barrier on gloo names the rank that did not arrive."""

from datetime import timedelta

import torch.distributed as dist
from _lab import raises

WAIT_S = 2


def probe(rank, world_size):
    """Let rank 1 miss a monitored barrier."""
    dist.monitored_barrier(timeout=timedelta(seconds=10))  # all arrive: nothing happens
    if rank == 0:
        message = raises(
            RuntimeError,
            "Rank 1 failed to pass monitoredBarrier",
            lambda: dist.monitored_barrier(timeout=timedelta(seconds=WAIT_S)),
        )
        assert f"{1000 * WAIT_S} ms" in message, message
    return {"rank 0 says": "Rank 1 failed to pass monitoredBarrier in 2000 ms"}
