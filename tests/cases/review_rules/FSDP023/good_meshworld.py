import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
def make(tp):
    world = dist.get_world_size()
    assert world % tp == 0
    one = init_device_mesh("cuda", (world,))
    two = init_device_mesh("cuda", (world // tp, tp), mesh_dim_names=("dp", "tp"))
    three = init_device_mesh("cuda", (world, 1), mesh_dim_names=("dp", "tp"))
    return one, two, three
