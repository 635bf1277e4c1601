import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
import torch.distributed as dist


class Topology:
    def __init__(self, tp, cp, gpus=8):
        shape, names = [], []
        for n, s in (("dp", gpus // (tp * cp)), ("cp", cp), ("tp", tp)):
            shape.append(s)
            names.append(n)
        self.mesh = init_device_mesh("cuda", tuple(shape), mesh_dim_names=tuple(names))


def apply(model):
    t = Topology(2, 2)
    for b in model.blocks:
        fully_shard(b, mesh=t.mesh)  # <- FSDP026
    fully_shard(model, mesh=t.mesh)
