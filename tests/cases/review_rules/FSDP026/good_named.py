from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model, names):
    fully_shard(model.first, mesh=init_device_mesh("cuda", (2, 4), mesh_dim_names=("replicate", "shard")))
    fully_shard(model.second, mesh=init_device_mesh("cuda", (8,)))
    fully_shard(model.third, mesh=init_device_mesh("cuda", (2, 4), mesh_dim_names=names))
