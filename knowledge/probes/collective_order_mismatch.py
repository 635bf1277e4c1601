"""The same collectives in another order mix up values silently, and TORCH_DISTRIBUTED_DEBUG=DETAIL names a mismatch."""

from datetime import timedelta

import torch
import torch.distributed as dist
from _lab import hangs, raises

WAIT_S = 3


def _call(rank, group):
    if rank == 0:
        return dist.all_reduce(torch.ones(4), group=group)
    return dist.all_gather_into_tensor(torch.empty(8), torch.ones(4), group=group)


def probe(rank, world_size):
    """Swap two all-reduces, then call different collectives with and without the detailed checks."""
    small, large = torch.full((4,), 1.0), torch.full((4,), 10.0)
    for tensor in (small, large) if rank == 0 else (large, small):
        dist.all_reduce(tensor)
    assert small.unique().tolist() == [11.0], small  # 1 + 10: the sum of two different things
    assert large.unique().tolist() == [11.0], large
    dist.set_debug_level(dist.DebugLevel.DETAIL)  # what the variable does, for groups made from here on
    checked = dist.new_group(timeout=timedelta(seconds=10))
    dist.set_debug_level(dist.DebugLevel.OFF)
    message = raises(RuntimeError, "Detected mismatch between collectives on ranks", lambda: _call(rank, checked))
    for named in ("ALLREDUCE", "ALLGATHER", "SequenceNumber"):
        assert named in message, message
    plain = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    dist.all_reduce(torch.ones(1), group=plain)
    if rank == 0:
        assert hangs(lambda: dist.all_reduce(torch.ones(4), group=plain), at_least_s=0.8 * WAIT_S)
    return {
        "two all-reduces of one shape, swapped": "both 11 instead of 2 and 20, no error",
        "DETAIL": "Detected mismatch between collectives on ranks, with both operations",
        "a collective that one rank skips, no DETAIL": f"waits {WAIT_S} s",
    }
