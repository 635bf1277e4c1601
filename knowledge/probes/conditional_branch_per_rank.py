"""A layer used on one rank only: gradients of different layers are averaged with each other, silently."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Experts(nn.Module):
    """Two layers, one of which is used."""

    def __init__(self):
        """Make both."""
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)])

    def forward(self, x, which):
        """Use one layer."""
        return self.layers[which](x)


def probe(rank, world_size):
    """Each rank uses another layer of the same group; then both use both, one with a weight of zero."""
    x = torch.full((1, 4), float(rank + 1))
    net = fully_shard(Experts())
    net(x, rank).sum().backward()
    have = [layer.weight.grad is not None for layer in net.layers]
    assert have == [rank == 0, rank == 1], have
    mixed = float(net.layers[rank].weight.grad.to_local()[0, 0])  # 1 of rank 0's layer and 2 of rank 1's
    trick = fully_shard(Experts())
    loss = trick(x, rank).sum() + 0.0 * trick(x, 1 - rank).sum()
    loss.backward()
    right = [float(layer.weight.grad.full_tensor()[0, 0]) for layer in trick.layers]
    assert right[1] == 2 * right[0], right
    assert mixed == right[0] + right[1], (mixed, right)
    return {"each rank another layer": "1 and 2 are combined, no error", "zero-weighted use of the other": "kept apart"}
