"""A coordinator that writes longer than the group's time-out kills the save on the other ranks."""

import time
from datetime import timedelta

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, hangs, shard
from torch.distributed.checkpoint import FileSystemWriter

WAIT_S = 1.5


class Slow(FileSystemWriter):
    """A writer whose last step takes longer than the time-out of a group."""

    def finish(self, metadata, results):
        """Take longer than WAIT_S, then write."""
        time.sleep(1.2 * WAIT_S)
        super().finish(metadata, results)


def probe(rank, world_size):
    """Save with a group that has time, then with one that has not."""
    net = shard(Net())
    patient = dist.new_group(timeout=timedelta(seconds=30))
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    dist.barrier(short)
    dcp.save(net.state_dict(), storage_writer=Slow("patient"), process_group=patient)
    dist.barrier()

    def save():
        dcp.save(net.state_dict(), storage_writer=Slow("short"), process_group=short)

    if rank == 1:
        assert hangs(save, at_least_s=0.8 * WAIT_S)
    else:
        try:
            save()
        except BaseException as error:  # the peer is gone; which error is the backend's business
            assert error is not None
    return {"time-out above the write": "saved", "time-out below it": f"the waiting rank fails after {WAIT_S} s"}
