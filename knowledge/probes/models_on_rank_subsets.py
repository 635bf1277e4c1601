"""Two models on two halves of the ranks, each sharded over its own half."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard
from torch.distributed.device_mesh import init_device_mesh

WORLD_SIZE = 4


def probe(rank, world_size):
    """Make one (model, dp) mesh on all ranks and shard over its dp dimension."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("model", "dp"))
    mine = mesh["dp"]
    assert dist.get_process_group_ranks(mine.get_group()) == ([0, 1] if rank < 2 else [2, 3])
    torch.manual_seed(mesh.get_local_rank("model"))
    net = shard(Net(blocks=1 + mesh.get_local_rank("model")), mesh=mine)
    assert net.head.weight.to_local().shape[0] == 4
    net(batch(rank)).square().mean().backward()
    assert net.head.weight.grad is not None
    return {"ranks 0, 1": "one block", "ranks 2, 3": "two blocks"}
