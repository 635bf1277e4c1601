import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
def mesh(tp=2, cp=2):
    w = dist.get_world_size()
    dp = w // tp
    return init_device_mesh("cuda", (dp, cp, tp), mesh_dim_names=("dp", "cp", "tp"))  # <- FSDP023
