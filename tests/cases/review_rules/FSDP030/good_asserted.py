import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy


class Plain:
    def wrap(self, model, device_mesh=None):
        return FSDP(model, use_orig_params=True)


class Hybrid:
    def wrap(self, model, device_mesh=None):
        assert device_mesh is not None
        return FSDP(model, device_mesh=device_mesh, sharding_strategy=ShardingStrategy.HYBRID_SHARD)


def plainly(name):
    strategy = Plain() if name == "plain" else Hybrid()
    return strategy.wrap(nn.Linear(8, 8))


def over_nodes(nodes):
    mesh = init_device_mesh("cuda", (nodes, 8), mesh_dim_names=("replicate", "shard"))
    return Hybrid().wrap(nn.Linear(8, 8), device_mesh=mesh)
