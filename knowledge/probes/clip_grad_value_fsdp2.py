"""clip_grad_value_ works element by element, so it is right on shards too."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Compare with clamping the full gradients."""
    net = shard(Net())
    (100.0 * net(batch(rank)).pow(2).mean()).backward()
    full = [parameter.grad.full_tensor().clamp(-0.5, 0.5) for parameter in net.parameters()]
    torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)
    for parameter, expected in zip(net.parameters(), full, strict=True):
        torch.testing.assert_close(parameter.grad.full_tensor(), expected)
    return {"clip_grad_value_": "equal to clamping the full gradients"}
