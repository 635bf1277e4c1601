"""model.zero_grad() between forward and backward misses the root's gradients; optimizer.zero_grad() does not."""

import torch
from _lab import Net, batch, shard


def _ratio(rank, clear):
    """Do two equal steps, clearing after the second forward; return how the root's gradient grew."""
    torch.manual_seed(0)
    net = shard(Net())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    net(batch(rank)).pow(2).mean().backward()
    once = net.inp.weight.grad.full_tensor().clone(), net.blocks[0].up.weight.grad.full_tensor().clone()
    loss = net(batch(rank)).pow(2).mean()
    clear(net, optimizer)
    loss.backward()
    twice = net.inp.weight.grad.full_tensor(), net.blocks[0].up.weight.grad.full_tensor()
    return [round(float(new.abs().sum() / old.abs().sum()), 3) for old, new in zip(once, twice, strict=True)]


def probe(rank, world_size):
    """Clear in both ways."""
    by_model = _ratio(rank, lambda net, _: net.zero_grad())
    by_optimizer = _ratio(rank, lambda _, optimizer: optimizer.zero_grad())
    assert by_model == [2.0, 1.0], by_model
    assert by_optimizer == [1.0, 1.0], by_optimizer
    return {"model.zero_grad(): root, block": by_model, "optimizer.zero_grad(): root, block": by_optimizer}
