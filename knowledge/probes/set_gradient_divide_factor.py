"""set_gradient_divide_factor replaces the division by the number of ranks, for one module, not its children."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import FSDPModule


def _gradients(rank, factor, recurse):
    torch.manual_seed(0)
    net = shard(Net())
    if factor is not None:
        for module in net.modules() if recurse else (net,):
            if isinstance(module, FSDPModule):
                module.set_force_sum_reduction_for_comms(True)
                module.set_gradient_divide_factor(factor)
    net(batch(rank)).square().mean().backward()
    return net.head.weight.grad.full_tensor(), net.blocks[0].up.weight.grad.full_tensor()


def probe(rank, world_size):
    """Default, factor 1 on the root alone, factor 1 everywhere."""
    head, up = _gradients(rank, None, False)
    head_one, up_same = _gradients(rank, 1.0, False)
    assert torch.allclose(head_one, world_size * head, atol=1e-6)
    assert torch.allclose(up_same, up, atol=1e-6)
    _, up_one = _gradients(rank, 1.0, True)
    assert torch.allclose(up_one, world_size * up, atol=1e-6)
    plain = shard(Net())
    plain.set_gradient_divide_factor(1.0)
    message = raises(RuntimeError, "PREMUL_SUM", lambda: plain(batch(rank)).sum().backward())
    return {"factor 1 gives the sum": True, "recursive": False, "gloo without forced sums": message}
