"""FSDP1: tied weights in two units fail; in one unit they work."""

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


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


def _attempt(net):
    try:
        net(torch.arange(4)).square().mean().backward()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:80]
    return "runs"


def probe(rank, world_size):
    """Both in the root's unit; then the head as a unit of its own."""
    cpu = torch.device("cpu")
    together = FSDP(Tied(), device_id=cpu, use_orig_params=True)
    one = _attempt(together)
    assert one == "runs", one
    assert together.module.head.weight is together.module.embed.weight
    apart = Tied()
    apart.head = FSDP(apart.head, device_id=cpu, use_orig_params=True)
    two = _attempt(FSDP(apart, device_id=cpu, use_orig_params=True))
    return {"one unit": one, "two units": two}
