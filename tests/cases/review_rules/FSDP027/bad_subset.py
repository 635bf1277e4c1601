import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
def make_groups(rank, n):
    if rank < n:
        return dist.new_group(list(range(n)))  # <- FSDP027
    return None
