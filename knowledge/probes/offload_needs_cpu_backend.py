"""A process group without a CPU backend cannot reduce what CPU offload keeps on the CPU."""

import os

import torch
import torch.distributed as dist
from _lab import raises
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Shard, distribute_tensor

PROCESS_GROUP = False


def probe(rank, world_size):
    """Give the group a backend for CUDA tensors alone, then for both."""
    store = dist.FileStore("store-cuda", world_size)
    dist.init_process_group("cuda:gloo", store=store, rank=rank, world_size=world_size)
    message = raises(
        RuntimeError, "No backend type associated with device type cpu", lambda: dist.all_reduce(torch.ones(1))
    )
    dist.destroy_process_group()
    store = dist.FileStore("store-both", world_size)
    dist.init_process_group("cpu:gloo,cuda:gloo", store=store, rank=rank, world_size=world_size)
    mesh = DeviceMesh("cpu", list(range(world_size)))
    sharded = distribute_tensor(torch.ones(4), mesh, [Shard(0)])
    assert float(sharded.norm().full_tensor()) == 2.0
    dist.destroy_process_group()
    assert os.environ["RANK"] == str(rank)
    return {"CUDA backend alone": message, "with a CPU backend": "norm of the shards is 2.0"}
