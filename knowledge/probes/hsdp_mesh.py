"""HSDP: dim 0 replicates, dim 1 shards; gradients are averaged over all ranks."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard

WORLD_SIZE = 4


def probe(rank, world_size):
    """Compare shards and gradients of a (1, 4), a (2, 2) and a (4, 1) mesh."""
    rows = {}
    gradients = {}
    for replicas in (1, 2, 4):
        torch.manual_seed(0)
        names = ("replicate", "shard")
        mesh = init_device_mesh("cpu", (replicas, world_size // replicas), mesh_dim_names=names)
        net = shard(Net(), mesh=mesh)
        assert net.inp.weight.placements == (Replicate(), Shard(0))
        rows[replicas] = net.inp.weight.to_local().shape[0]
        net(batch(rank)).square().mean().backward()
        gradients[replicas] = net.inp.weight.grad.full_tensor()
    assert rows == {1: 2, 2: 4, 4: 8}, rows
    assert torch.allclose(gradients[1], gradients[2], atol=1e-6)
    assert torch.allclose(gradients[1], gradients[4], atol=1e-6)
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    assert dist.get_process_group_ranks(mesh.get_group("shard")) == ([0, 1] if rank < 2 else [2, 3])
    return {"rows of 8 by replicas": {str(key): value for key, value in rows.items()}, "gradients equal": True}
