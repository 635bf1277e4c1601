"""A mesh that is larger or smaller than the world fails."""

import torch.distributed as dist
from _lab import Net, raises
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Make a mesh of twice the world, and one of rank 0 alone."""
    larger = raises(RuntimeError, "", lambda: init_device_mesh("cpu", (2 * world_size,)))
    smaller = init_device_mesh("cpu", (1,))
    failure = ""
    if rank == 0:
        fully_shard(Net(), mesh=smaller)
    else:
        failure = raises(Exception, "", lambda: fully_shard(Net(), mesh=smaller))
    failures = [""] * world_size
    dist.all_gather_object(failures, failure)
    assert not failures[0]
    assert failures[1]
    return {"larger": larger[:90], "outside of a smaller mesh": failures[1][:60]}
