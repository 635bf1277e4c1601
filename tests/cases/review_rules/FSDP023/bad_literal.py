import torch
from torch.distributed.device_mesh import init_device_mesh
SHARD = 8
REPL = 2
def mesh():
    # torchrun --nproc-per-node=8, one node
    world = 8
    assert torch.distributed.get_world_size() == world
    return init_device_mesh("cuda", (REPL, SHARD), mesh_dim_names=("replicate", "shard"))  # <- FSDP023
