"""Before torch 2.12, tied weights in two fully_shard groups come apart without an error."""

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
    """Shard embedding and head apart, train a step, and compare the two weights."""
    net = Tied()
    fully_shard(net.embed)
    fully_shard(net.head)
    fully_shard(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.arange(4) + rank).square().sum().backward()
    optimizer.step()
    assert net.head.weight is not net.embed.weight
    same = torch.equal(net.head.weight.full_tensor(), net.embed.weight.full_tensor())
    assert not same
    return {"one parameter": False, "equal after a step": same}
