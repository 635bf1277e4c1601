"""Without preserve_rng_state the recomputation draws another dropout mask, and gradients are wrong."""

import torch
from _lab import batch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    """A linear layer before and after dropout."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.up, self.drop, self.down = nn.Linear(8, 64), nn.Dropout(0.5), nn.Linear(64, 8)

    def forward(self, x):
        """Map (batch, 8) to (batch, 8)."""
        return self.down(self.drop(self.up(x)))


def _gradient(rank, **options):
    torch.manual_seed(0)
    block = Block()
    net = fully_shard(checkpoint_wrapper(block, **options) if options else block)
    torch.manual_seed(1)
    net(batch(rank)).square().sum().backward()
    return block.down.weight.grad.full_tensor()


def probe(rank, world_size):
    """Compare both settings with a step without checkpointing."""
    reference = _gradient(rank)
    torch.testing.assert_close(_gradient(rank, preserve_rng_state=True), reference, rtol=0, atol=0)
    wrong = _gradient(rank, preserve_rng_state=False)
    assert not torch.allclose(wrong, reference), "the same mask by chance"
    return {"preserve_rng_state=True": "exact", "False": "gradients differ"}
