import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


def mesh():
    world = dist.get_world_size()
    return init_device_mesh("cuda", (world // 8, 4), mesh_dim_names=("dp", "tp"))  # <- FSDP023
