"""The loss of a rank is that of its own batch; the mean over ranks takes an all_reduce."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Compare losses over ranks before and after the reduction."""
    net = shard(Net())
    loss = net(batch(rank)).pow(2).mean()
    both = [torch.empty(()) for _ in range(world_size)]
    dist.all_gather(both, loss.detach())
    assert both[0] != both[1], both
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    mean /= world_size
    torch.testing.assert_close(mean, (both[0] + both[1]) / 2)
    return {"loss on the ranks": "different", "after all_reduce and division": "the mean"}
