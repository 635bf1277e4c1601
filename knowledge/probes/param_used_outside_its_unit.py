"""A weight read outside of its module's forward is a sharded DTensor."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


class Model(nn.Module):
    """The head's weight is used functionally, without calling the head."""

    def __init__(self):
        """Make body and head."""
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 8, bias=False)

    def forward(self, x):
        """Apply the head's weight by hand."""
        return nn.functional.linear(self.body(x), self.head.weight)


def probe(rank, world_size):
    """Shard the head as a unit of its own, then leave it to the root, then unshard by hand."""
    x = torch.ones(2, 4)
    own = Model()
    fully_shard(own.head)
    fully_shard(own)
    message = raises(RuntimeError, "mixed torch.Tensor and DTensor", lambda: own(x))
    in_root = fully_shard(Model())
    in_root(x).sum().backward()
    assert in_root.head.weight.grad is not None
    return {"head is a unit": message.splitlines()[0][:80], "head belongs to the root": "trains"}
