"""DCP writes replicated shards once: HSDP needs no process group for that, and both replicas take part."""

from pathlib import Path

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, shard
from torch.distributed.checkpoint import DefaultSavePlanner
from torch.distributed.device_mesh import init_device_mesh

WORLD_SIZE = 4


def _sizes(path):
    return {file.name: file.stat().st_size for file in Path(path).glob("*.distcp")}


def probe(rank, world_size):
    """Save a 2 x 2 HSDP net and a fully sharded one; compare bytes and files."""
    hybrid = shard(Net(width=32), mesh=init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard")))
    full = shard(Net(width=32))
    dcp.save(hybrid.state_dict(), checkpoint_id="hybrid")
    dcp.save(full.state_dict(), checkpoint_id="full")
    lowest = DefaultSavePlanner(dedup_save_to_lowest_rank=True)
    dcp.save(hybrid.state_dict(), checkpoint_id="lowest", planner=lowest)
    dist.barrier()
    bytes_ = {name: sum(_sizes(name).values()) for name in ("hybrid", "full", "lowest")}
    assert bytes_["hybrid"] < 1.1 * bytes_["full"], bytes_
    writers = {name: sum(size > 0 for size in _sizes(name).values()) for name in ("hybrid", "lowest")}
    assert writers == {"hybrid": 4, "lowest": 2}, writers
    dcp.load(hybrid.state_dict(), checkpoint_id="full")
    return {"bytes of HSDP / FSDP below": 1.1, "ranks that write": writers}
