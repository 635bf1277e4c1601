"""set_modules_to_forward_prefetch and ..._backward_prefetch issue the all-gathers of the named modules earlier."""

import torch
import torch.distributed as dist
from _lab import Net, batch, raises, shard
from torch import nn


class _Noting:
    """All-gather that notes its module's name in a shared list."""

    def __init__(self, name, events):
        self.name, self.events = name, events

    def allocate(self, size, *, dtype, device):
        return torch.empty(*size, dtype=dtype, device=device)

    def __call__(self, output_tensor, input_tensor, group, async_op=False):
        self.events.append(f"gather {self.name}")
        return dist.all_gather_into_tensor(output_tensor, input_tensor, group=group, async_op=async_op)


def _events(rank, explicit):
    net = shard(Net(blocks=3))
    events = []
    for number, block in enumerate(net.blocks):
        block.set_custom_all_gather(_Noting(number, events))
        block.up.register_forward_pre_hook(lambda *_, number=number: events.append(f"compute {number}"))
    if explicit:
        net.blocks[0].set_modules_to_forward_prefetch([net.blocks[1], net.blocks[2]])
        net.blocks[2].set_modules_to_backward_prefetch([net.blocks[1], net.blocks[0]])
    out = net(batch(rank))
    forward = list(events)
    events.clear()
    out.sum().backward()
    return forward, events


def probe(rank, world_size):
    """Note the order of all-gathers and computation with the default and with explicit prefetching."""
    forward, backward = _events(rank, False)
    assert forward == ["gather 0", "compute 0", "gather 1", "compute 1", "gather 2", "compute 2"], forward
    assert backward == ["gather 2", "gather 1", "gather 0"], backward
    early, _ = _events(rank, True)
    assert early == ["gather 0", "gather 1", "gather 2", "compute 0", "compute 1", "compute 2"], early
    net = shard(Net())
    message = raises(ValueError, "FSDPModule", lambda: net.set_modules_to_forward_prefetch([nn.Linear(2, 2)]))
    return {"default": forward, "two modules prefetched": early, "not sharded": message[:40]}
