"""An in-place operation on a view that a sharded module returned drops its pre-backward hook."""

import warnings

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Viewing(nn.Module):
    """Returns a view of its layer's output."""

    def __init__(self):
        """Make two layers: the second one's backward needs its weight."""
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)

    def forward(self, x):
        """Transpose."""
        return self.second(torch.relu(self.first(x))).transpose(0, 1)


class Parent(nn.Module):
    """Adds to a sharded child's output, in place or not."""

    def __init__(self, in_place):
        """Make the child."""
        super().__init__()
        self.child = Viewing()
        self.in_place = in_place

    def forward(self, x):
        """Add one."""
        y = self.child(x)
        if self.in_place:
            y += 1.0
            return y
        return y + 1.0


def probe(rank, world_size):
    """Train one step in both ways and collect warnings."""
    outcomes = {}
    for in_place in (True, False):
        net = Parent(in_place)
        fully_shard(net.child)
        fully_shard(net)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out = net(torch.ones(4, 4))
        warned = any("returned a view tensor" in str(item.message) for item in caught)
        assert warned is (torch.__version__ >= (2, 13)), warned
        try:
            out.pow(2).sum().backward()
            outcomes[in_place] = "trains"
        except RuntimeError as error:
            outcomes[in_place] = str(error)
    assert outcomes[False] == "trains", outcomes
    assert "setStorage" in outcomes[True], outcomes
    return {"y += 1": outcomes[True][:40], "y = y + 1": outcomes[False], "warns": torch.__version__ >= (2, 13)}
