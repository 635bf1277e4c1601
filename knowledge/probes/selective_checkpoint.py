"""Selective checkpointing keeps the results of chosen operators and recomputes the rest."""

from functools import partial

import torch
from _lab import Net, batch, shard
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

MATMULS = (torch.ops.aten.addmm.default, torch.ops.aten.mm.default)


class Forwards(TorchDispatchMode):
    """Counts the matrix multiplications of forward passes."""

    def __init__(self):
        """Start at zero."""
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Note a linear layer's forward, then run the operator."""
        self.count += func is torch.ops.aten.addmm.default
        return func(*args, **(kwargs or {}))


def _policy(context, operator, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if operator in MATMULS else CheckpointPolicy.PREFER_RECOMPUTE


def _step(rank, how):
    torch.manual_seed(0)
    net = Net()
    options = {"context_fn": partial(create_selective_checkpoint_contexts, _policy)} if how == "selective" else {}
    for number, block in enumerate(net.blocks):
        if how != "none":
            net.blocks[number] = checkpoint_wrapper(block, **options)
    shard(net)
    with Forwards() as forwards:
        net(batch(rank)).sum().backward()
    return forwards.count, [parameter.grad.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Count the linear layers that run, without, with full and with selective checkpointing."""
    none, reference = _step(rank, "none")
    full, _ = _step(rank, "full")
    selective, gradients = _step(rank, "selective")
    for ours, theirs in zip(gradients, reference, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)
    assert none == 6, none
    assert selective == none < full, (none, selective, full)
    return {"linear layers run": none, "full checkpointing": full, "selective": selective}
