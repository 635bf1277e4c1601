"""async_save has copied everything when it returns; the file holds the weights of that moment."""

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from _lab import Net, shard


def probe(rank, world_size):
    """Change the weights right after async_save returned."""
    net = shard(Net())
    with torch.no_grad():
        net.head.weight.to_local().fill_(1)
    future = dcp.async_save(net.state_dict(), checkpoint_id="ckpt")
    with torch.no_grad():
        net.head.weight.to_local().fill_(2)
    future.result()
    dist.barrier()
    dcp.load(net.state_dict(), checkpoint_id="ckpt")
    assert bool((net.head.weight.full_tensor() == 1).all()), "the copy was complete when async_save returned"
    return {"returns": type(future).__name__, "saved": "the weights at the call"}
