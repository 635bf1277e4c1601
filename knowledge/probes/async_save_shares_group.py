"""A background save and the training loop on one gloo group call collectives in another order on each rank: a hang."""

import time
from datetime import timedelta

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, hangs, shard
from torch.distributed.checkpoint import FileSystemWriter

WAIT_S = 2


class Slow(FileSystemWriter):
    """A writer that takes half of the time-out on rank 0, so that the ranks finish at different times."""

    def write_data(self, plan, planner):
        """Write, late on rank 0."""
        time.sleep(0.5 * WAIT_S if dist.get_rank() == 0 else 0)
        return super().write_data(plan, planner)


def probe(rank, world_size):
    """Let a barrier meet the save's collectives on one group, then on two."""
    net = shard(Net())
    own = dist.new_group(timeout=timedelta(seconds=30))
    shared = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    for group in (own, shared):
        dist.barrier(group)
    future = dcp.async_save(net.state_dict(), storage_writer=Slow("own"), process_group=own)
    dist.barrier()
    future.result()
    dist.barrier()
    future = dcp.async_save(net.state_dict(), storage_writer=Slow("shared"), process_group=shared)
    time.sleep(0.25 * WAIT_S)  # rank 1's save waits for rank 0 by now, rank 0 is still writing
    assert hangs(lambda: dist.barrier(shared), at_least_s=0.5 * WAIT_S)
    try:
        future.result()
    except BaseException as error:  # the save is lost with the group
        assert error is not None
    return {"a group of its own": "saved", "shared with a barrier": "both wait until the time-out, then fail"}
