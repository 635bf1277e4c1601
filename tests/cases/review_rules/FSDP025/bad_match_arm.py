from enum import Enum
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


class Mode(Enum):
    FSDP = "fsdp"
    HSDP = "hsdp"


def make_mesh(mode, nodes, gpus):
    match mode:
        case Mode.HSDP:
            return init_device_mesh("cuda", (gpus, nodes), mesh_dim_names=("dp_shard", "dp_replicate"))  # <- FSDP025
        case _:
            return init_device_mesh("cuda", (nodes * gpus,), mesh_dim_names=("dp",))


def apply(net):
    mesh = make_mesh(Mode.HSDP, 4, 8)
    for b in net.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(net, mesh=mesh)
