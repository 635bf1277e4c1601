from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model, n):
    mesh = init_device_mesh("cuda", (2, n, 2), mesh_dim_names=("replicate", "shard", "tp"))
    fully_shard(model, mesh=mesh)  # <- FSDP026
