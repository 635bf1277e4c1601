import os
import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class ParallelDims:
    def __init__(self, tp):
        self.world = int(os.environ["WORLD_SIZE"])
        self.tp = tp
        self.mesh = init_device_mesh("cuda", (self.world // tp, tp), mesh_dim_names=("data", "model"))


def apply(model: nn.Module, dims: ParallelDims):
    plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    for blk in model.layers:
        parallelize_module(blk.mlp, dims.mesh["model"], plan)
    kw = {"mesh": dims.mesh, "reshard_after_forward": True}
    for blk in model.layers:
        fully_shard(blk, **kw)  # <- FSDP024
    fully_shard(model, **kw)
    return model
