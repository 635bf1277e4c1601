import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
def mesh(tp=2, cp=2, pp=1):
    w = dist.get_world_size()
    dp = w // (tp * cp)
    one = init_device_mesh("cuda", (dp, cp, tp), mesh_dim_names=("dp", "cp", "tp"))
    two = init_device_mesh("cuda", (w // tp // cp, cp, tp), mesh_dim_names=("dp", "cp", "tp"))
    three = init_device_mesh("cuda", (pp, w // tp, tp), mesh_dim_names=("pp", "dp", "tp"))
    return one, two, three
