import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
def make(tp):
    world = dist.get_world_size()
    dims = {"dp": world, "tp": tp}
    return init_device_mesh("cuda", (dims["dp"], dims["tp"]), mesh_dim_names=("dp", "tp"))  # <- FSDP023
