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
    message = raises(RuntimeError, "", lambda: dist.all_reduce(torch.ones(1)))
    assert any(text in message for text in ("closed by peer", "reset by peer", "Broken pipe")), message
    return {"rank 0 says": "connection closed or reset by peer, not the time-out"}
