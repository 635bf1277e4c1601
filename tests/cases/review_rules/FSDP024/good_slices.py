from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def sliced(model, n):
    mesh = init_device_mesh("cuda", (n, 4), mesh_dim_names=("dp", "tp"))
    fully_shard(model, mesh=mesh["dp"])


def flattened(model, n):
    mesh = init_device_mesh("cuda", (n, 4), mesh_dim_names=("dp_shard", "cp"))
    fully_shard(model, mesh=mesh["dp_shard", "cp"]._flatten("fsdp"))


def hybrid(model, n):
    mesh = init_device_mesh("cuda", (2, n, 4), mesh_dim_names=("dp_replicate", "dp_shard", "tp"))
    fully_shard(model, mesh=mesh["dp_replicate", "dp_shard"])
