"""Tied weights in two fully_shard groups: ValueError at the first forward; one group works."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import fully_shard


class Tied(nn.Module):
    """Embedding and head with one weight."""

    def __init__(self):
        """Tie the head to the embedding."""
        super().__init__()
        self.embed = nn.Embedding(16, 8)
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        """Map ids to logits."""
        return self.head(self.body(self.embed(ids)))


def probe(rank, world_size):
    """Shard embedding and head apart, then together, then as part of the root."""
    ids = torch.arange(4) + rank
    apart = Tied()
    fully_shard(apart.embed)
    fully_shard(apart.head)
    fully_shard(apart)
    message = raises(ValueError, "already managed by another FSDP group", lambda: apart(ids))
    together = Tied()
    fully_shard([together.embed, together.head])
    fully_shard(together)
    in_root = fully_shard(Tied())
    for net in (together, in_root):
        net(ids).sum().backward()
        assert net.head.weight is net.embed.weight
    return {"apart": message[:90], "in one group": "trains, still one parameter"}
