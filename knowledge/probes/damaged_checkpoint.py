"""A truncated shard file and a flipped bit: which of them dcp.load notices."""

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, raises, shard
from torch.distributed.checkpoint import CheckpointException


def probe(rank, world_size):
    """Damage rank 1's file of two copies of a checkpoint and load."""
    net = shard(Net())
    with torch.no_grad():
        net.head.weight.to_local().fill_(1)
    for name in ("cut", "flipped"):
        dcp.save(net.state_dict(), checkpoint_id=name)
    dist.barrier()
    if rank == 0:
        cut = Path("cut/__1_0.distcp")
        cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
        with open("flipped/__1_0.distcp", "r+b") as file:
            data = file.read()
            at = data.index(b"\x00\x00\x80\x3f" * 8)  # the row of ones, little-endian float32
            file.seek(at)
            file.write(b"\x00\x00\x80\x40")  # 4.0
    dist.barrier()
    raises(CheckpointException, "", lambda: dcp.load(net.state_dict(), checkpoint_id="cut"))
    dcp.load(net.state_dict(), checkpoint_id="flipped")
    assert float(net.head.weight.full_tensor().max()) == 4, "dcp.load compares no checksum"
    return {"truncated": "CheckpointException", "changed bytes": "loaded without a word"}
