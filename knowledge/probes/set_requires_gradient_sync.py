"""set_requires_gradient_sync(False) accumulates unsharded gradients without communication."""

import torch
from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Two micro-batches with one reduction equal two reductions; in between no sharded gradient exists."""
    once = shard(Net())
    every = shard(Net())
    every.load_state_dict(once.state_dict())
    first, second = batch(rank), batch(rank + 7)
    once.set_requires_gradient_sync(False)
    once(first).square().mean().backward()
    assert isinstance(once.head.weight, DTensor)
    assert once.head.weight.grad is None
    once.set_requires_gradient_sync(True)
    once(second).square().mean().backward()
    for x in (first, second):
        every(x).square().mean().backward()
    assert torch.allclose(once.head.weight.grad.full_tensor(), every.head.weight.grad.full_tensor(), atol=1e-6)
    root_only = shard(Net())
    root_only.set_requires_gradient_sync(False, recurse=False)
    root_only(first).sum().backward()
    assert root_only.head.weight.grad is None
    assert root_only.blocks[0].up.weight.grad is not None
    return {"grad between": None, "equals reducing every time": True, "recurse=False": "root only"}
