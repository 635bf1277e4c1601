"""Ranks that use different parameters of one unit: mismatched reduce-scatters, repaired by zero gradients."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Choice(nn.Module):
    """Two branches of different size; each rank takes one."""

    def __init__(self):
        """Make both."""
        super().__init__()
        self.shared = nn.Linear(4, 4)
        self.image = nn.Linear(4, 4)
        self.text = nn.Linear(4, 8)

    def forward(self, x, image):
        """Take one branch."""
        x = self.shared(x)
        return (self.image if image else self.text)(x)


def probe(rank, world_size):
    """Train with the flag: every parameter gets the gradient of the rank that used it, divided by two."""
    net = fully_shard(Choice())
    net.set_reduce_scatter_unused_params(True)
    net(torch.ones(2, 4), image=rank == 0).sum().backward()
    for weight in (net.image.weight, net.text.weight):
        gradient = weight.grad.full_tensor()
        assert gradient.abs().sum() > 0
        assert torch.isfinite(gradient).all()
    assert torch.equal(net.image.bias.grad.full_tensor(), torch.ones(4))
    assert torch.equal(net.text.bias.grad.full_tensor(), torch.ones(8))
    return {"bias gradient of a branch used by one of two ranks (2 rows, mean over ranks)": 1.0}
