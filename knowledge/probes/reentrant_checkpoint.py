"""Reentrant checkpointing works with FSDP2, but not with inputs that need no gradient; the default is non-reentrant."""

import inspect

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.distributed.fsdp import fully_shard
from torch.utils.checkpoint import checkpoint


def _gradients(impl, rank):
    torch.manual_seed(0)
    net = Net()
    for number, block in enumerate(net.blocks):
        if impl is not None:
            net.blocks[number] = checkpoint_wrapper(block, impl)
    shard(net)(batch(rank)).sum().backward()
    return [parameter.grad.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Use both kinds behind a trainable layer, then as the first layer of a model."""
    assert inspect.signature(checkpoint_wrapper).parameters["checkpoint_impl"].default is CheckpointImpl.NO_REENTRANT
    reference = _gradients(None, rank)
    for impl in CheckpointImpl:
        for ours, theirs in zip(_gradients(impl, rank), reference, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=0, atol=0)
    first = fully_shard(torch.nn.Linear(8, 8))
    wrapped = checkpoint_wrapper(first, CheckpointImpl.REENTRANT)
    message = raises(RuntimeError, "does not require grad", lambda: wrapped(batch(rank)).sum().backward())
    good = fully_shard(torch.nn.Linear(8, 8))
    checkpoint_wrapper(good)(batch(rank)).sum().backward()
    assert good.weight.grad is not None
    keywords = fully_shard(torch.nn.Linear(8, 8))
    raises(ValueError, "nexpected keyword", lambda: checkpoint(keywords, input=batch(rank), use_reentrant=True))
    return {"either kind, trainable input": "exact", "reentrant, plain input": message[:60], "default": "NO_REENTRANT"}
