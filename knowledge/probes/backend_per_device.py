"""Which backend serves which device, and the default time-out of each way to name it."""

import torch
import torch.distributed as dist
from _lab import raises
from torch.distributed.distributed_c10d import Backend, BackendConfig, _get_default_timeout

PROCESS_GROUP = False
WORLD_SIZE = 1


def _devices(name):
    return {device: str(backend) for device, backend in BackendConfig(Backend(name)).get_device_backend_map().items()}


def probe(rank, world_size):
    """Read the maps, then reduce a CPU tensor on a group that has a backend for CUDA only."""
    assert _devices("cpu:gloo,cuda:nccl") == {"cpu": "gloo", "cuda": "nccl"}
    assert _devices("nccl") == {"cuda": "nccl"}  # nothing for CPU tensors
    assert _devices("gloo")["cpu"] == _devices("gloo")["cuda"] == "gloo"
    for name in ("gloo", "cpu:gloo,cuda:nccl", "undefined"):  # undefined: backend left out
        assert _get_default_timeout(Backend(name)).total_seconds() == 1800, name
    dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
    message = raises(
        RuntimeError, "No backend type associated with device type cpu", lambda: dist.all_reduce(torch.ones(1))
    )
    dist.destroy_process_group()
    dist.init_process_group("cpu:gloo,cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
    dist.all_reduce(torch.ones(1))
    dist.destroy_process_group()
    return {
        "CPU tensor on a CUDA-only group": message.splitlines()[0],
        "default time-out, backend mixed or left out": 1800,
    }
