"""The recomputation of a checkpointed block does not cast its inputs, so its tensors have another dtype."""

import torch
from _lab import raises
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.checkpoint import checkpoint


class Caller(nn.Module):
    """Checkpoints a sharded block from outside, on an fp32 input."""

    def __init__(self, cast):
        """Make the block."""
        super().__init__()
        self.block = nn.Linear(4, 4)
        self.cast = cast

    def forward(self, x):
        """Call the block under checkpoint."""
        x = x.bfloat16() if self.cast else x
        return checkpoint(self.block, x, use_reentrant=False)


def _train(cast):
    net = Caller(cast)
    fully_shard(net.block, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    fully_shard(net, mp_policy=MixedPrecisionPolicy(cast_forward_inputs=False))
    net(torch.ones(2, 4, requires_grad=True)).sum().backward()
    assert net.block.weight.grad is not None


def probe(rank, world_size):
    """Train one step on an fp32 input, then on one that is cast before the checkpoint."""
    raises(RuntimeError, "different metadata", lambda: _train(False))
    _train(True)
    return {"fp32 input": "CheckpointError: different metadata", "input cast before checkpoint": "trains"}
