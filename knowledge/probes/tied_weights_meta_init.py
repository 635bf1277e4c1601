"""to_empty() unties weights of a plain model and keeps those of a sharded one."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Tied(nn.Module):
    """Embedding and head with one weight."""

    def __init__(self):
        """Tie the head to the embedding."""
        super().__init__()
        self.embed = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        """Map ids to logits."""
        return self.head(self.embed(ids))


def probe(rank, world_size):
    """Materialise a plain and a sharded tied model from meta."""
    with torch.device("meta"):
        plain, sharded = Tied(), Tied()
    plain.to_empty(device="cpu")
    fully_shard(sharded)
    sharded.to_empty(device="cpu")
    seen = {
        "plain": plain.embed.weight is plain.head.weight,
        "sharded": sharded.embed.weight is sharded.head.weight,
    }
    nn.init.ones_(sharded.embed.weight)
    sharded(torch.arange(4)).sum().backward()
    seen["sharded after training step"] = sharded.embed.weight is sharded.head.weight
    expected = {"plain": False, "sharded": True, "sharded after training step": True}
    assert seen == expected, seen
    return seen
