from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import DataParallelMeshDims, fully_shard


def named(model, n):
    mesh = init_device_mesh("cuda", (n, 4), mesh_dim_names=("dp", "tp"))
    fully_shard(model, mesh=mesh, dp_mesh_dims=DataParallelMeshDims(shard="dp"))


def replicated(model, n):
    mesh = init_device_mesh("cuda", (2, n), mesh_dim_names=("replicate", "shard"))
    fully_shard(model, mesh=mesh)
