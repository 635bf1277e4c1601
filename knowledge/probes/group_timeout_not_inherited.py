"""A time-out given to init_process_group is not inherited by new groups or by the groups of a two-dimensional mesh."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

GROUP_TIMEOUT_S = 20


def _timeout_s(group):
    return group._get_backend(torch.device("cpu")).options._timeout.total_seconds()


def probe(rank, world_size):
    """Read the time-out of the default group, of new groups and of mesh groups."""
    assert _timeout_s(dist.group.WORLD) == GROUP_TIMEOUT_S
    assert _timeout_s(dist.new_group()) == 1800  # gloo's default, not 20
    assert _timeout_s(dist.new_group(timeout=timedelta(seconds=77))) == 77
    flat = init_device_mesh("cpu", (world_size,))
    assert flat.get_group() is dist.group.WORLD  # one dimension over all ranks reuses the default group
    grid = init_device_mesh("cpu", (1, world_size), mesh_dim_names=("outer", "inner"))
    assert _timeout_s(grid.get_group("outer")) == 1800
    return {"new_group()": "1800 s", "mesh dimension smaller than the world": "1800 s", "init_process_group": "20 s"}
