"""Blocks sharded, root not: the root's parameters get another gradient on each rank."""

import torch
import torch.distributed as dist
from _lab import Net, batch, raises
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


def _same_on_all_ranks(tensor, world_size):
    copies = [torch.empty_like(tensor) for _ in range(world_size)]
    dist.all_gather(copies, tensor.contiguous())
    return all(torch.equal(copies[0], copy) for copy in copies[1:])


def probe(rank, world_size):
    """Compare the gradients of root and block parameters across ranks, then clip."""
    net = Net()
    for block in net.blocks:
        fully_shard(block)
    net(batch(rank)).square().mean().backward()
    assert not isinstance(net.head.weight, DTensor)
    assert isinstance(net.blocks[0].up.weight, DTensor)
    assert not _same_on_all_ranks(net.head.weight.grad, world_size), "the root's gradient was reduced"
    assert _same_on_all_ranks(net.blocks[0].up.weight.grad.full_tensor(), world_size)
    message = raises(
        RuntimeError,
        "mixed torch.Tensor and DTensor",
        lambda: torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0),
    )
    return {"root gradients equal on all ranks": False, "clip_grad_norm_": message.splitlines()[0][:80]}
