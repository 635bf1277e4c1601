"""An error of the background save is seen only by whoever asks the future."""

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, raises, shard
from torch.distributed.checkpoint import CheckpointException, FileSystemWriter


class Full(FileSystemWriter):
    """A writer on a full disk."""

    def write_data(self, plan, planner):
        """Fail as a full disk does."""
        raise OSError("No space left on device", len(plan.items), planner is None)


def probe(rank, world_size):
    """Start a save that fails and go on; then ask."""
    net = shard(Net())
    own = dist.new_group(backend="gloo")  # the barrier below must not meet the collectives of the save
    future = dcp.async_save(net.state_dict(), storage_writer=Full("ckpt"), process_group=own)
    dist.barrier()  # training would go on here: nothing was raised
    raises(CheckpointException, "No space left on device", future.result)
    return {"without .result()": "silent", "with .result()": "CheckpointException"}
