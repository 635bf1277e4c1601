import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
import torch.distributed as dist

LAYOUT = {"shard": 8, "replicate": 4}


def mesh():
    return init_device_mesh("cuda", tuple(LAYOUT.values()), mesh_dim_names=tuple(LAYOUT))  # <- FSDP025


def wrap(net):
    m = mesh()
    opts = {"mesh": m}
    for blk in net.blocks:
        fully_shard(blk, **opts)
    fully_shard(net, **opts)
