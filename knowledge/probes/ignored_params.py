"""ignored_params stay plain, unsharded and unreduced; foreach, fused and clip_grad_norm_ refuse the mix."""

import torch
import torch.distributed as dist
from _lab import Net, batch, raises
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


def _net():
    torch.manual_seed(0)
    net = Net()
    ignored = set(net.head.parameters())
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net, ignored_params=ignored)
    return net, ignored


def probe(rank, world_size):
    """Train with the head ignored; compare its gradient across ranks; try optimizers and clipping."""
    net, ignored = _net()
    assert not isinstance(net.head.weight, DTensor)
    assert isinstance(net.inp.weight, DTensor)
    net(batch(rank)).square().mean().backward()
    copies = [torch.empty_like(net.head.weight.grad) for _ in range(world_size)]
    dist.all_gather(copies, net.head.weight.grad)
    assert not torch.equal(copies[0], copies[1])
    for options in ({"foreach": True}, {"fused": True}):
        mixed = torch.optim.AdamW(net.parameters(), lr=0.1, **options)
        raises(RuntimeError, "mixed torch.Tensor and DTensor", mixed.step)
    message = raises(
        RuntimeError,
        "mixed torch.Tensor and DTensor",
        lambda: torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0),
    )
    for parameter in ignored:
        dist.all_reduce(parameter.grad)
        parameter.grad /= world_size
    sharded = [parameter for parameter in net.parameters() if parameter not in ignored]
    torch.optim.AdamW(net.parameters(), lr=0.1, foreach=False, fused=False).step()
    for group in (sharded, list(ignored)):
        torch.optim.AdamW(group, lr=0.1, foreach=True).step()
        torch.nn.utils.clip_grad_norm_(group, 1.0)
    dist.all_gather(copies, net.head.weight.detach())
    assert torch.equal(copies[0], copies[1])
    return {"ignored": "plain, other gradient on each rank", "clip": message.splitlines()[0][:80]}
