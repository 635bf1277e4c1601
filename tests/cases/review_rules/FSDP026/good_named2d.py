import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
def shard(model):
    mesh = DeviceMesh("cuda", torch.arange(8).view(2, 4), mesh_dim_names=("replicate", "shard"))
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
