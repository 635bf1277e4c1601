from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model, nodes):
    mesh = init_device_mesh("cuda", (nodes, 8), mesh_dim_names=("replicate", "shard"))
    fully_shard(model, mesh=mesh)


def other(model, nodes):
    mesh = init_device_mesh("cuda", (nodes, 8), mesh_dim_names=("dp_replicate", "dp_shard"))
    fully_shard(model, mesh=mesh)
