import os

from torch.distributed.device_mesh import init_device_mesh as make

TP = 2


def mesh():
    ranks = int(os.environ["WORLD_SIZE"])
    return make("cuda", (2, ranks // TP, TP), mesh_dim_names=("replicate", "shard", "tp"))  # <- FSDP023
