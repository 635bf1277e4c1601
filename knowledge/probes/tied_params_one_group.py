"""Tied weights in one group stay tied through training, and through the state dict."""

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
    """Train, compare with an unsharded copy, and list the names."""
    net, reference = Tied(), Tied()
    reference.load_state_dict(net.state_dict())
    fully_shard(net)
    ids = torch.arange(6)
    for model in (net, reference):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        assert len(optimizer.param_groups[0]["params"]) == 1
        model(ids).square().mean().backward()
        optimizer.step()
    assert net.embed.weight is net.head.weight
    assert torch.allclose(net.head.weight.full_tensor(), reference.head.weight, atol=1e-6)
    names = sorted(net.state_dict())
    assert names == ["embed.weight", "head.weight"]
    return {"parameters": [name for name, _ in net.named_parameters()], "state dict": names}
