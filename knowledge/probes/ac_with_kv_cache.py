"""A cache that a checkpointed block appends to is longer at the recomputation."""

import torch
from _lab import batch, raises
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.checkpoint import CheckpointError, checkpoint


class Cache:
    """Keys of the calls so far."""

    def __init__(self):
        """Start empty."""
        self.keys = []


class Attention(nn.Module):
    """Appends its keys to a cache, if there is one, and attends to all of them."""

    def __init__(self):
        """Make the projections."""
        super().__init__()
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, cache=None):
        """Attend to own and cached keys."""
        keys = self.key(x)
        if cache is not None:
            cache.keys.append(keys)
            keys = torch.cat(cache.keys)
        return torch.softmax(self.query(x) @ keys.T, dim=-1) @ keys


def _step(rank, cache):
    block = fully_shard(Attention())
    checkpoint(block, batch(rank).requires_grad_(), cache, use_reentrant=False).sum().backward()
    return block.key.weight.grad is not None


def probe(rank, world_size):
    """Train one step with a cache and without."""
    message = raises(CheckpointError, "different metadata", lambda: _step(rank, Cache()))
    assert _step(rank, None)
    return {"with a cache": message.splitlines()[0][:110], "without": "trains"}
