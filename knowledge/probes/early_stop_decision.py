"""A decision of rank 0, broadcast, ends the loop of all ranks in the same step."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Only rank 0 knows that it is time to stop, in step 2."""
    net = shard(Net())
    steps = 0
    for step in range(5):
        net(batch(rank)).sum().backward()
        steps += 1
        stop = torch.tensor(int(rank == 0 and step == 1))
        dist.broadcast(stop, src=0)
        if stop:
            break
    counts = [torch.tensor(0) for _ in range(world_size)]
    dist.all_gather(counts, torch.tensor(steps))
    assert [int(count) for count in counts] == [2, 2], counts
    return {"steps on the ranks": [2, 2]}
