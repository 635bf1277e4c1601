"""Gradients kept without sync survive zero_grad and reset_iter_state; a synced backward flushes them."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def _gradient(drop):
    """Do a backward without sync, `drop` its gradient, and return that of the next synced backward."""
    torch.manual_seed(0)
    net = fully_shard(nn.Linear(4, 4, bias=False))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.ones(2, 4)
    net.set_requires_gradient_sync(False)
    net(x).sum().backward()
    drop(net, optimizer, x)
    net.set_requires_gradient_sync(True)
    net(x).sum().backward()
    return float(net.weight.grad.full_tensor()[0, 0])


def _flush(net, optimizer, x):
    net.set_requires_gradient_sync(True)
    (0.0 * net(x).sum()).backward()
    optimizer.zero_grad()


def probe(rank, world_size):
    """Try three ways to forget one micro-batch."""
    cleared = _gradient(lambda _net, optimizer, _x: optimizer.zero_grad())
    flushed = _gradient(_flush)
    assert cleared == 2 * flushed, (cleared, flushed)
    observed = {"optimizer.zero_grad()": "the next step has twice the gradient", "synced backward, zero_grad()": "gone"}
    if hasattr(fully_shard(nn.Linear(2, 2)), "reset_iter_state"):
        reset = _gradient(lambda net, _optimizer, _x: net.reset_iter_state())
        assert reset == 2 * flushed, (reset, flushed)
    return observed
