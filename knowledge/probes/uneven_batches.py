"""A rank with one batch more waits in the all-gather; a MIN over has-data stops all ranks together."""

from datetime import timedelta

import torch
import torch.distributed as dist
from _lab import Net, batch, hangs
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

WAIT_S = 3


def probe(rank, world_size):
    """Rank 0 has three batches, rank 1 two."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    net = fully_shard(Net(), mesh=DeviceMesh.from_group(short, "cpu"))
    mine = 3 - rank
    steps = 0
    data = iter(range(mine))
    while True:
        has = torch.tensor(1 if next(data, None) is not None else 0)
        dist.all_reduce(has, op=dist.ReduceOp.MIN)
        if not has:
            break
        net(batch(rank)).sum().backward()
        steps += 1
    assert steps == 2, steps
    dist.barrier()
    for index in range(mine):
        if index == 2:  # rank 0 alone
            assert hangs(lambda: net(batch(rank)).sum().backward(), at_least_s=0.8 * WAIT_S)
        else:
            net(batch(rank)).sum().backward()
    return {"MIN over has-data": "both ranks do 2 steps", "third batch on rank 0": f"waits {WAIT_S} s, then fails"}
