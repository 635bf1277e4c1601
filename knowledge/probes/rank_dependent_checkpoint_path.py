"""A checkpoint path that differs between ranks scatters the shards over folders, without an error."""

from pathlib import Path

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, raises, shard
from torch.distributed.checkpoint import CheckpointException


def probe(rank, world_size):
    """Save to a path with the rank in it and try to load; then to one that rank 0 chose."""
    net = shard(Net())
    dcp.save(net.state_dict(), checkpoint_id=f"step-{rank}")
    dist.barrier()
    found = {name: sorted(path.name for path in Path(name).iterdir()) for name in ("step-0", "step-1")}
    assert found == {"step-0": [".metadata", "__0_0.distcp"], "step-1": ["__1_0.distcp"]}, found
    raises(CheckpointException, "", lambda: dcp.load(net.state_dict(), checkpoint_id="step-0"))
    chosen = [f"step-{rank}-again"]
    dist.broadcast_object_list(chosen, src=0)
    dcp.save(net.state_dict(), checkpoint_id=chosen[0])
    dcp.load(net.state_dict(), checkpoint_id=chosen[0])
    return found | {"broadcast path": "loads"}
