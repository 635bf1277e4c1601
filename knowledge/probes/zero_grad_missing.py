"""Gradients of sharded parameters accumulate over steps until zero_grad, which sets them to None."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Two backward passes with and without zero_grad between them."""
    net = shard(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    net(batch(rank)).sum().backward()
    once = net.inp.weight.grad.full_tensor().clone()
    optimizer.step()
    net(batch(rank)).sum().backward()
    torch.testing.assert_close(net.inp.weight.grad.full_tensor(), 2 * once)
    optimizer.zero_grad()
    assert net.inp.weight.grad is None
    net(batch(rank)).sum().backward()
    torch.testing.assert_close(net.inp.weight.grad.full_tensor(), once)
    return {"without zero_grad": "twice the gradient", "zero_grad()": "gradients are None"}
