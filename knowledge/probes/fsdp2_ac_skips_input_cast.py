"""The recomputation of a checkpointed block casts its inputs as the first forward did."""

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.utils.checkpoint import checkpoint


class Caller(nn.Module):
    """Checkpoints a sharded block from outside, on an fp32 input."""

    def __init__(self, reentrant):
        """Make the block."""
        super().__init__()
        self.block = nn.Linear(4, 4)
        self.reentrant = reentrant

    def forward(self, x):
        """Call the block under checkpoint."""
        return checkpoint(self.block, x, use_reentrant=self.reentrant)


def probe(rank, world_size):
    """Train one step with both kinds of checkpointing."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
    for reentrant in (False, True):
        net = Caller(reentrant)
        fully_shard(net.block, mp_policy=policy)
        fully_shard(net, mp_policy=MixedPrecisionPolicy(cast_forward_inputs=False))
        net(torch.ones(2, 4, requires_grad=True)).sum().backward()
        assert net.block.weight.grad.dtype == torch.float32
    return {"recomputation": "casts the inputs again"}
