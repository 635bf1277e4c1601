import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


def two():
    world = dist.get_world_size()
    return init_device_mesh("cuda", (world // 4, 4), mesh_dim_names=("dp", "tp"))


def three():
    world = dist.get_world_size()
    return init_device_mesh("cuda", (2, world // 4, 2), mesh_dim_names=("r", "s", "tp"))
