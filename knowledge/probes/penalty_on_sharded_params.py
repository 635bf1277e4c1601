"""A penalty on sharded parameters cannot be added to the loss; added to the sharded gradients it is right."""

import torch
from _lab import Net, batch, raises, shard


def probe(rank, world_size):
    """Add the sum of squares to the loss, then its gradient 2 * parameter to each sharded gradient."""
    broken = shard(Net())

    def in_loss():
        penalty = sum(parameter.pow(2).sum() for parameter in broken.parameters())
        (broken(batch(rank)).mean() + penalty).backward()

    text = raises(RuntimeError, "mixed torch.Tensor and DTensor", in_loss)
    torch.manual_seed(0)
    net = shard(Net())
    net(batch(rank)).mean().backward()
    plain = [parameter.grad.full_tensor().clone() for parameter in net.parameters()]
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.grad.add_(parameter, alpha=2.0)
    for parameter, before in zip(net.parameters(), plain, strict=True):
        torch.testing.assert_close(parameter.grad.full_tensor(), before + 2 * parameter.full_tensor().detach())
    return {"loss + penalty": text[:60], "gradient += 2 * parameter": "right, without communication"}
