"""When a peer goes away, the others report a lost connection, not the cause."""

import torch
import torch.distributed as dist
from _lab import raises


def probe(rank, world_size):
    """Let rank 1 leave as a crash would, and call a collective on rank 0."""
    dist.all_reduce(torch.ones(1))
    if rank == 1:
        dist.destroy_process_group()  # closes the connections, as the end of the process does
        return {}
    raises(RuntimeError, "Connection closed by peer", lambda: dist.all_reduce(torch.ones(1)))
    return {"rank 0 says": "Connection closed by peer"}
