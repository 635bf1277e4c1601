"""shard_placement_fn can give each parameter a mesh of its own: one call, two groups."""

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp._fully_shard._fsdp_common import FSDPMeshInfo, ShardPlacementResult
from torch.distributed.tensor import Shard

WORLD_SIZE = 4


class Moe(nn.Module):
    """A dense layer and an "expert"."""

    def __init__(self):
        """Make both."""
        super().__init__()
        self.dense = nn.Linear(8, 8, bias=False)
        self.expert = nn.Linear(8, 8, bias=False)

    def forward(self, x):
        """Apply both."""
        return self.expert(torch.relu(self.dense(x)))


def probe(rank, world_size):
    """Shard the dense layer over 4 ranks and the expert over 2."""
    net = Moe()
    dense_mesh = init_device_mesh("cpu", (4,), mesh_dim_names=("dp",))
    pairs = init_device_mesh("cpu", (2, 2), mesh_dim_names=("ep", "efsdp"))
    expert_info = FSDPMeshInfo(pairs["efsdp"], shard_mesh_dim=0)
    expert = net.expert.weight
    fully_shard(
        net,
        mesh=dense_mesh,
        shard_placement_fn=lambda p: ShardPlacementResult(Shard(0), expert_info) if p is expert else None,
    )
    assert tuple(net.dense.weight.to_local().shape) == (2, 8)
    assert tuple(net.expert.weight.to_local().shape) == (4, 8)
    net(torch.ones(2, 8)).sum().backward()
    assert tuple(net.expert.weight.grad.to_local().shape) == (4, 8)
    return {"dense rows": 2, "expert rows": 4}
