"""A second-order gradient through a sharded module fails on freed weights, unless resharding waits for the second."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _penalty(net, x, between=lambda: None):
    x = x.clone().requires_grad_()
    gradient = torch.autograd.grad(net(x).pow(2).sum(), x, create_graph=True)[0]
    between()
    gradient.pow(2).sum().backward()


def _reference(world_size):
    torch.manual_seed(0)
    net = Net()
    for rank in range(world_size):
        _penalty(net, batch(rank))
    return [parameter.grad / world_size for parameter in net.parameters()]


def probe(rank, world_size):
    """Gradient penalty on an unsharded net, on FSDP2 in two ways, and on FSDP1."""
    expected = _reference(world_size)
    text = raises(RuntimeError, "setStorage", lambda: _penalty(shard(Net()), batch(rank)))
    old = FSDP(Net(), device_id=torch.device("cpu"))
    assert raises(Exception, "", lambda: _penalty(old, batch(rank)))
    torch.manual_seed(0)
    net = shard(Net())
    net.set_reshard_after_backward(False)
    _penalty(net, batch(rank), between=lambda: net.set_reshard_after_backward(True))
    # on gloo torch 2.7 and 2.8 sum instead of averaging, which is not the question here
    factor = float(net.head.weight.grad.full_tensor().sum() / expected[-2].sum())
    for parameter, right in zip(net.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad.full_tensor(), round(factor) * right, atol=1e-5, rtol=1e-4)
    return {"fully_shard": text[:40], "FSDP1": "fails", "set_reshard_after_backward(False)": "gradients are right"}
