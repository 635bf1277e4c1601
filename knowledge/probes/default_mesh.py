"""Without mesh, fully_shard shards over all ranks in one dimension, and inits the process group if there is none."""

import os
import socket
import time
from pathlib import Path

import torch.distributed as dist
from _lab import Net, batch, shard
from torch.distributed.tensor import Shard

PROCESS_GROUP = False


def _agree_on_port(rank):
    note = Path("port")
    if rank == 0:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            Path("port.part").write_text(str(free.getsockname()[1]))
        Path("port.part").rename(note)
    while not note.exists():
        time.sleep(0.01)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=note.read_text())


def probe(rank, world_size):
    """Shard before init_process_group was called."""
    _agree_on_port(rank)
    assert not dist.is_initialized()
    net = shard(Net())
    assert dist.is_initialized()
    mesh = net.inp.weight.device_mesh
    assert mesh.ndim == 1
    assert mesh.size() == world_size
    assert net.inp.weight.placements == (Shard(0),)
    net(batch(rank)).sum().backward()
    shape = list(mesh.mesh.shape)
    dist.destroy_process_group()
    return {"mesh": shape, "device": mesh.device_type}
