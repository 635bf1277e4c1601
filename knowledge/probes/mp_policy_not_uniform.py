"""The policy of one fully_shard call is not inherited by the other groups of the model."""

import torch
from _lab import Net, batch, raises
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

BF16 = MixedPrecisionPolicy(param_dtype=torch.bfloat16)


def _net(blocks, root):
    net = Net()
    for block in net.blocks:
        fully_shard(block, **blocks)
    return fully_shard(net, **root)


def probe(rank, world_size):
    """Give the policy to the root alone, to the blocks alone, and to all."""
    x = batch(rank)
    text = raises(RuntimeError, "dtype", lambda: _net({}, {"mp_policy": BF16})(x))
    blocks_only = _net({"mp_policy": BF16}, {})
    assert "dtype" in raises(RuntimeError, "dtype", lambda: blocks_only(x))
    both = _net({"mp_policy": BF16}, {"mp_policy": BF16})
    assert both(x).dtype == torch.bfloat16
    return {"root alone": text.splitlines()[0], "all calls": "runs in bf16"}
