"""Checkpointing every block keeps one input per block, runs its forward twice, and changes no gradient."""

import torch
from _lab import Net, batch, shard
from torch.autograd.graph import saved_tensors_hooks
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper


def _step(rank, checkpointed, whole_block=True):
    torch.manual_seed(0)
    net = Net()
    calls = []
    for number, block in enumerate(net.blocks):
        block.up.register_forward_hook(lambda *_, number=number: calls.append(number))
        if checkpointed and whole_block:
            net.blocks[number] = checkpoint_wrapper(block)
        elif checkpointed:
            block.up, block.down = checkpoint_wrapper(block.up), checkpoint_wrapper(block.down)
    shard(net)
    kept = []
    with saved_tensors_hooks(lambda tensor: (kept.append(tensor), tensor)[1], lambda tensor: tensor):
        out = net(batch(rank))
    # activations have the batch in dim 0; weights have not
    elements = sum(t.numel() for t in {t.data_ptr(): t for t in kept}.values() if t.dim() == 2 and t.shape[0] == 4)
    out.sum().backward()
    return elements, len(calls), [parameter.grad.full_tensor() for parameter in net.parameters()]


def probe(rank, world_size):
    """Count what is kept, for blocks as a whole and for their children, and compare the gradients."""
    plain, calls, reference = _step(rank, checkpointed=False)
    blocks, twice, gradients = _step(rank, checkpointed=True)
    children, _, same = _step(rank, checkpointed=True, whole_block=False)
    assert (calls, twice) == (2, 4), (calls, twice)
    assert blocks < children <= plain, (blocks, children, plain)
    for ours, again, theirs in zip(gradients, same, reference, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)
        torch.testing.assert_close(again, theirs, rtol=0, atol=0)
    return {"elements kept": plain, "blocks checkpointed": blocks, "children checkpointed": children, "forwards": 2}
