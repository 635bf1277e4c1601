"""Two checkpointed forwards before one backward, with units inside the checkpointed block."""

import torch
from _lab import Net, batch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard


def _net(nested):
    torch.manual_seed(0)
    net = Net()
    for number, block in enumerate(net.blocks):
        if nested:
            fully_shard(block.up)
            fully_shard(block.down)
        net.blocks[number] = fully_shard(checkpoint_wrapper(block))
    return fully_shard(net)


def _gradients(nested, together, rank):
    net = _net(nested)
    inputs = [batch(rank), batch(rank + 10)]
    if together:
        (net(inputs[0]).square().sum() + net(inputs[1]).square().sum()).backward()
    else:
        for x in inputs:
            net(x).square().sum().backward()
    return [parameter.grad.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Compare with one backward for each forward."""
    reference = _gradients(nested=False, together=False, rank=rank)
    for nested in (False, True):
        for ours, theirs in zip(_gradients(nested, together=True, rank=rank), reference, strict=True):
            torch.testing.assert_close(ours, theirs)
    return {"one backward for two forwards": "same gradients", "nested units": "same gradients"}
