"""HSDP: set_requires_all_reduce(False) reduce-scatters in the shard group and leaves the replicas to a later step."""

import torch
from _lab import Net, batch, shard
from torch.distributed.device_mesh import init_device_mesh

WORLD_SIZE = 4


def probe(rank, world_size):
    """Accumulate two micro-batches with one all-reduce, compare with one all-reduce each."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    torch.manual_seed(0)
    late = shard(Net(), mesh=mesh)
    torch.manual_seed(0)
    every = shard(Net(), mesh=mesh)
    first, second = batch(rank), batch(rank + 7)
    late.set_requires_all_reduce(False)
    late(first).square().mean().backward()
    assert late.head.weight.grad is None
    late.set_requires_all_reduce(True)
    late(second).square().mean().backward()
    for x in (first, second):
        every(x).square().mean().backward()
    assert torch.allclose(late.head.weight.grad.full_tensor(), every.head.weight.grad.full_tensor(), atol=1e-6)
    return {"grad before the all-reduce": None, "equals an all-reduce each time": True}
