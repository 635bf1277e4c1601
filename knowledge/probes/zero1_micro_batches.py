"""Gradient accumulation like ZeRO-1: gather at the first micro-batch, reduce at the last."""

from collections import Counter

import torch
from _lab import Net, batch, shard
from torch.utils._python_dispatch import TorchDispatchMode

MICRO_BATCHES = 3
UNITS = 3


class Collectives(TorchDispatchMode):
    """Counts all-gathers and reduce-scatters."""

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.seen = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Note the operator if it is a collective, then run it."""
        if str(func).startswith("c10d."):
            self.seen["all-gather"] += "allgather" in str(func)
            self.seen["reduce-scatter"] += "reduce_scatter" in str(func)
        return func(*args, **(kwargs or {}))


def _step(rank, like_zero1):
    torch.manual_seed(0)
    net = shard(Net(), **({"reshard_after_forward": False} if like_zero1 else {}))
    with Collectives() as collectives:
        for number in range(MICRO_BATCHES):
            last = number == MICRO_BATCHES - 1
            if like_zero1:
                net.set_requires_gradient_sync(last)
                net.set_reshard_after_backward(last)
            net(batch(rank + 10 * number)).sum().backward()
    return dict(collectives.seen), net.blocks[0].up.weight.grad.full_tensor()


def probe(rank, world_size):
    """Run the micro-batches both ways: same gradient, far fewer collectives."""
    plain, reference = _step(rank, like_zero1=False)
    few, gradient = _step(rank, like_zero1=True)
    torch.testing.assert_close(gradient, reference)
    assert few == {"all-gather": UNITS, "reduce-scatter": UNITS}, few
    assert plain["reduce-scatter"] == MICRO_BATCHES * UNITS, plain
    assert plain["all-gather"] > MICRO_BATCHES * UNITS, plain
    return {"plain": plain, "like ZeRO-1": few}
