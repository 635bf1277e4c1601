"""Data is split over the data-parallel ranks: HSDP counts both dimensions, tensor parallel ranks share a batch."""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.utils.data import DistributedSampler

WORLD_SIZE = 4


def _all(indices):
    mine = torch.tensor(indices)
    every = [torch.empty_like(mine) for _ in range(WORLD_SIZE)]
    dist.all_gather(every, mine)
    return [[int(value) for value in one] for one in every]


def probe(rank, world_size):
    """Eight samples on a 2 x 2 mesh of data and tensor parallelism."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    data = range(8)
    default = _all(list(DistributedSampler(data, shuffle=False)))
    assert default[0] != default[1], "all four ranks get their own: wrong within a tp group, right for HSDP"
    dp = mesh["dp"]
    split = _all(list(DistributedSampler(data, dp.size(), dp.get_local_rank(), shuffle=False)))
    assert split == [[0, 2, 4, 6]] * 2 + [[1, 3, 5, 7]] * 2, split
    return {"default": default, "num_replicas of the dp dimension": split}
