"""Frozen units are gathered in forward and again in backward, but have nothing to reduce."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard


class _Gather:
    def __init__(self):
        self.calls = 0

    def allocate(self, size, *, dtype, device):
        return torch.empty(*size, dtype=dtype, device=device)

    def __call__(self, output_tensor, input_tensor, group, async_op=False):
        self.calls += 1
        return dist.all_gather_into_tensor(output_tensor, input_tensor, group=group, async_op=async_op)


class _Scatter(_Gather):
    def __call__(self, output_tensor, input_tensor, group, op, async_op=False):
        self.calls += 1
        return dist.reduce_scatter_tensor(output_tensor, input_tensor, op=op, group=group, async_op=async_op)


def probe(rank, world_size):
    """Count the collectives of a frozen block, and of a trained one behind it, with both reshard settings."""
    counts = {}
    for reshard in (True, False):
        net = shard(Net(), reshard_after_forward=reshard)
        net.blocks[1].requires_grad_(False)
        meters = []
        for block in net.blocks:
            gather, scatter = _Gather(), _Scatter()
            block.set_custom_all_gather(gather)
            block.set_custom_reduce_scatter(scatter)
            meters.append((gather, scatter))
        net(batch(rank)).sum().backward()
        counts[reshard] = [(gather.calls, scatter.calls) for gather, scatter in meters]
    assert counts[True] == [(2, 1), (2, 0)], counts
    assert counts[False] == [(1, 1), (1, 0)], counts
    return {"trained (all-gathers, reduce-scatters)": [2, 1], "frozen": [2, 0], "frozen, no reshard": [1, 0]}
