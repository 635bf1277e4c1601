"""torch.load(mmap=True) does not read the file into memory; a shard is copied out of it tensor by tensor."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import distribute_tensor

ROWS = 4096
MIB = 2**20


def _resident_mib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB


def probe(rank, world_size):
    """Write a 32 MiB file, load it in both ways, shard from the mapped one."""
    if rank == 0:
        torch.save({"weight": torch.ones(ROWS, 2048), "bias": torch.zeros(ROWS)}, "model.pt")
    dist.barrier()
    before = _resident_mib()
    mapped = torch.load("model.pt", mmap=True, weights_only=True)
    grown = _resident_mib() - before
    assert grown < 8, grown
    with torch.device("meta"):
        net = nn.Linear(2048, ROWS)
    fully_shard(net)
    state = net.state_dict()
    local = {
        name: distribute_tensor(value, state[name].device_mesh, state[name].placements, src_data_rank=None)
        for name, value in mapped.items()
    }
    net.load_state_dict(local, assign=True)
    assert net.weight.to_local().shape == (ROWS // 2, 2048)
    assert bool((net.weight.to_local() == 1).all())
    before = _resident_mib()
    loaded = torch.load("model.pt", weights_only=True)
    grown = _resident_mib() - before
    assert grown > 24, grown
    assert loaded["weight"].shape == (ROWS, 2048), grown
    return {"mmap=True": "file stays on disk", "without": "32 MiB resident", "sharded from the map": "equal"}
