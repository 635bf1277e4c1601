"""An int for reshard_after_forward makes new process groups in every fully_shard call."""

import torch.distributed as dist
from _lab import Net, shard

WORLD_SIZE = 4


def _groups():
    return len(dist.distributed_c10d._world.pg_map)


def _made(value, blocks):
    before = _groups()
    shard(Net(blocks=blocks), reshard_after_forward=value)
    return _groups() - before


def probe(rank, world_size):
    """Count the process groups that sharding makes."""
    bools = _made(True, blocks=3)
    two, four = _made(2, blocks=2), _made(2, blocks=4)
    assert bools <= 1, bools
    assert four > two > bools, (bools, two, four)
    assert (four - two) % 2 == 0, (two, four)
    return {"True": bools, "int, 3 units": two, "int, 5 units": four}
