"""Several losses of one forward: sum them; separate backward passes need care."""

import torch
from _lab import Net, batch, shard


def _run(rank, separate):
    torch.manual_seed(0)
    net = shard(Net())
    out = net(batch(rank))
    first, second = out[:, :4].pow(2).mean(), out[:, 4:].abs().mean()
    if separate:
        first.backward(retain_graph=True)
        second.backward()
    else:
        (first + second).backward()
    return [parameter.grad.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Compare both ways, and two forward passes before one backward."""
    summed, apart = _run(rank, False), _run(rank, True)
    for left, right in zip(summed, apart, strict=True):
        torch.testing.assert_close(left, right)
    net = shard(Net())
    (net(batch(rank)).mean() + net(batch(rank + 7)).mean()).backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    return {"two backward passes": "gradients equal to those of the sum"}
