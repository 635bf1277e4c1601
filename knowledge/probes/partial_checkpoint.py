"""A save that dies leaves no .metadata and cannot be loaded; saving over a good folder destroys it."""

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, raises, shard
from torch.distributed.checkpoint import CheckpointException, FileSystemWriter


class Dying(FileSystemWriter):
    """A writer whose coordinator dies after the shards were written, before .metadata."""

    def finish(self, metadata, results):
        """Fail where .metadata would be written."""
        raise OSError("killed", metadata is None, len(results))


def probe(rank, world_size):
    """Die in a new folder; then save well, and die while saving over it."""
    net = shard(Net())
    weights = net.head.weight
    raises(CheckpointException, "killed", lambda: dcp.save(net.state_dict(), storage_writer=Dying("new")))
    dist.barrier()
    left = sorted(path.name for path in Path("new").iterdir())
    assert left == ["__0_0.distcp", "__1_0.distcp"], left
    raises(CheckpointException, "metadata", lambda: dcp.load(net.state_dict(), checkpoint_id="new"))
    with torch.no_grad():
        weights.to_local().fill_(1)
    dcp.save(net.state_dict(), checkpoint_id="good")
    with torch.no_grad():
        weights.to_local().fill_(2)
    raises(CheckpointException, "killed", lambda: dcp.save(net.state_dict(), storage_writer=Dying("good")))
    with torch.no_grad():
        weights.to_local().fill_(3)
    dcp.load(net.state_dict(), checkpoint_id="good")
    value = float(weights.full_tensor()[0, 0])
    assert value == 2, "the old checkpoint is gone although its .metadata is there"
    once = FileSystemWriter("good", overwrite=False)
    raises(CheckpointException, "Checkpoint already exists", lambda: dcp.save(net.state_dict(), storage_writer=once))
    return {"died in a new folder": left, "loading it": "fails, no metadata", "died over a good one": "old values lost"}
