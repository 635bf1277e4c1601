"""Checkpoint inside or outside the unit: same gradients and same number of all-gathers, FSDP1 and FSDP2."""

from collections import Counter

import torch
from _lab import Block, Net, batch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard
from torch.utils._python_dispatch import TorchDispatchMode


class Gathers(TorchDispatchMode):
    """Counts all-gathers."""

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.seen = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Note an all-gather, then run the operator."""
        self.seen["all"] += str(func).startswith("c10d.") and "allgather" in str(func)
        return func(*args, **(kwargs or {}))


def _wrap1(module):
    return FSDP(module, device_id=torch.device("cpu"), use_orig_params=True)


def _net(order):
    torch.manual_seed(0)
    net = Net()
    for number, block in enumerate(net.blocks):
        if order == "none":
            fully_shard(block)
        elif order == "fully_shard(checkpoint)":
            net.blocks[number] = fully_shard(checkpoint_wrapper(block))
        elif order == "checkpoint(fully_shard)":
            net.blocks[number] = checkpoint_wrapper(fully_shard(block))
        elif order == "FSDP1(checkpoint)":
            net.blocks[number] = _wrap1(checkpoint_wrapper(block))
        else:
            net.blocks[number] = checkpoint_wrapper(_wrap1(block))
        assert isinstance(block, Block)
    return fully_shard(net) if "FSDP1" not in order else _wrap1(net)


def _step(order, rank):
    net = _net(order)
    net(batch(rank)).square().sum().backward()
    # FSDP1 leaves no gradient on a rank that holds nothing of a parameter
    grads = [parameter.grad for parameter in net.parameters() if parameter.grad is not None]
    whole = [(g if "FSDP1" in order else g.full_tensor()).flatten() for g in grads]
    net.zero_grad()
    with Gathers() as gathers:
        net(batch(rank)).square().sum().backward()
    return gathers.seen["all"], torch.cat(whole)


def probe(rank, world_size):
    """Compare all orders."""
    plain, reference = _step("none", rank)
    found = {"no checkpointing": plain}
    for order in ("fully_shard(checkpoint)", "checkpoint(fully_shard)"):
        found[order], gradient = _step(order, rank)
        torch.testing.assert_close(gradient, reference, rtol=0, atol=0)
        assert found[order] == plain, found
    inside, one = _step("FSDP1(checkpoint)", rank)
    outside, other = _step("checkpoint(FSDP1)", rank)
    torch.testing.assert_close(one, other, rtol=0, atol=0)
    assert inside == outside, (inside, outside)
    return found | {"FSDP1, either order": inside}
