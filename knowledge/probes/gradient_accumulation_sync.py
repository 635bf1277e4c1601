"""Accumulated gradients are equal with and without communication in each micro-batch; only its amount differs."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard

MICRO = 4


def _count(names, call):
    """Run `call()` and return how often the collective, under whichever name it has, was issued."""
    count = [0]
    name = next(name for name in names if hasattr(dist, name))
    original = getattr(dist, name)

    def counting(*args, **kwargs):
        count[0] += 1
        return original(*args, **kwargs)

    setattr(dist, name, counting)
    try:
        call()
    finally:
        setattr(dist, name, original)
    return count[0]


def _accumulate(rank, sync_each, keep_unsharded=False):
    torch.manual_seed(0)
    net = shard(Net())
    data = [batch(10 * index + rank) for index in range(MICRO)]

    def run():
        for index, x in enumerate(data):
            last = index == MICRO - 1
            if not sync_each:
                net.set_requires_gradient_sync(last)
            if keep_unsharded:
                net.set_reshard_after_backward(last)
            (net(x).pow(2).mean() / MICRO).backward()

    counts = {}

    def counted():
        counts["all-gathers"] = _count(("all_gather_single", "all_gather_into_tensor"), run)

    counts["reduce-scatters"] = _count(("reduce_scatter_single", "reduce_scatter_tensor"), counted)
    return [parameter.grad.full_tensor() for parameter in net.parameters()], counts


def probe(rank, world_size):
    """Four micro-batches through two blocks and a root, in three ways."""
    each, counts = _accumulate(rank, sync_each=True)
    once, fewer = _accumulate(rank, sync_each=False)
    kept, least = _accumulate(rank, sync_each=False, keep_unsharded=True)
    for other in (once, kept):
        for left, right in zip(each, other, strict=True):
            torch.testing.assert_close(left, right)
    assert [counts["reduce-scatters"], fewer["reduce-scatters"]] == [3 * MICRO, 3], (counts, fewer)
    assert counts["all-gathers"] == fewer["all-gathers"] == 5 * MICRO, (counts, fewer)
    assert least["all-gathers"] < fewer["all-gathers"], least
    return {"sync in each micro-batch": counts, "sync in the last": fewer, "and set_reshard_after_backward": least}
