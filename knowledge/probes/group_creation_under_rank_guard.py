"""Making a group on some ranks only waits for the others, unless local synchronisation is asked for."""

from datetime import timedelta

import torch.distributed as dist
from _lab import hangs


def probe(rank, world_size):
    """Rank 0 alone makes a group of both ranks, then one of itself with local synchronisation."""
    alone = True
    if rank == 0:
        alone = hangs(lambda: dist.new_group(timeout=timedelta(seconds=3)), at_least_s=2.4)
    local = None
    if rank == 0:
        local = dist.new_group([0], use_local_synchronization=True)
        assert dist.get_world_size(local) == 1
    return {"new_group on rank 0 alone waits until the time-out": alone, "with local synchronisation": "returns"}
