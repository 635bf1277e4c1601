import os
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def dims():
    tp = int(os.getenv("TP", "2"))
    return {"dp": int(os.environ["WORLD_SIZE"]) // tp, "tp": tp}


def world():
    d = dims()
    return init_device_mesh("cuda", (d["dp"], d["tp"]), mesh_dim_names=("dp", "tp"))


class Wrap:
    mesh = None

    @classmethod
    def setup(cls):
        cls.mesh = world()

    @classmethod
    def shard(cls, net):
        for b in net.blocks:
            fully_shard(b, mesh=cls.mesh)  # <- FSDP024
        return fully_shard(net, mesh=cls.mesh)


def main(net):
    Wrap.setup()
    return Wrap.shard(net)
