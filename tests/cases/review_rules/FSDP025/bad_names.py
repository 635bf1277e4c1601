from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def apply(model, nodes):
    mesh = init_device_mesh("cuda", (8, nodes), mesh_dim_names=("fsdp", "replicate"))  # <- FSDP025
    fully_shard(model, mesh=mesh)
