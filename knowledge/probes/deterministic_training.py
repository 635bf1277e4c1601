"""Two runs from one seed agree bit for bit; the unsharded model on the joint batch agrees to rounding."""

import torch
from _lab import Net, batch, shard


def _train(net, inputs):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        loss = net(inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def _sharded(rank):
    torch.manual_seed(3)
    net = shard(Net())
    losses = _train(net, batch(rank))
    return losses, [parameter.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Train twice on two ranks, once alone on everything."""
    losses, weights = _sharded(rank)
    again, weights_again = _sharded(rank)
    assert losses == again
    assert all(torch.equal(a, b) for a, b in zip(weights, weights_again, strict=True))
    torch.manual_seed(3)
    alone = Net()
    _train(alone, torch.cat([batch(other) for other in range(world_size)]))
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(weights, alone.parameters(), strict=True))
    return {"two runs": "bit for bit", "one process on the joint batch": "within 1e-5"}
