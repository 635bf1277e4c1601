"""dp_mesh_dims: fully_shard takes the full mesh, and parameters that are DTensors on it."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import DataParallelMeshDims, fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_module, distribute_tensor

WORLD_SIZE = 4


def _column_wise(name, module, mesh):
    for key, parameter in module.named_parameters(recurse=False):
        spread = distribute_tensor(parameter, mesh, [Replicate(), Shard(0)])
        module.register_parameter(key, nn.Parameter(spread))


def probe(rank, world_size):
    """Shard a layer that is split over tp, on the dp dimension of the same (dp, tp) mesh."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    dims = DataParallelMeshDims(shard="dp")
    plain = raises(
        ValueError,
        "must be DTensors",
        lambda: fully_shard(nn.Linear(4, 8), mesh=mesh, dp_mesh_dims=dims),
    )
    net = distribute_module(nn.Linear(4, 8, bias=False), mesh, _column_wise)
    fully_shard(net, mesh=mesh, dp_mesh_dims=dims)
    assert net.weight.device_mesh.ndim == 2
    assert tuple(net.weight.to_local().shape) == (2, 4)
    raises(ValueError, "not found", lambda: fully_shard(nn.Linear(4, 8), mesh=mesh, dp_mesh_dims=_named("cp")))
    raises(ValueError, "At least one", DataParallelMeshDims)
    assert torch.isfinite(net.weight.to_local()).all()
    return {"plain parameters": plain[:60], "rows of 8": 2}


def _named(name):
    return DataParallelMeshDims(shard=name)
