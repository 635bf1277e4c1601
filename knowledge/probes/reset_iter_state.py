"""After an exception in forward, reset_iter_state() on the root makes the next iteration right."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor


def _fail(*_):
    raise ValueError("bad batch")


def probe(rank, world_size):
    """Fail in block 1 on all ranks, reset, train on; compare with a net that never failed."""
    torch.manual_seed(0)
    net = shard(Net())
    torch.manual_seed(0)
    clean = shard(Net())
    handle = net.blocks[1].up.register_forward_pre_hook(_fail)
    raises(ValueError, "bad batch", lambda: net(batch(rank)))
    handle.remove()
    assert not isinstance(net.blocks[1].up.weight, DTensor)
    net.reset_iter_state()
    assert isinstance(net.blocks[1].up.weight, DTensor)
    for model in (net, clean):
        model(batch(rank)).square().mean().backward()
    assert torch.allclose(net.head.weight.grad.full_tensor(), clean.head.weight.grad.full_tensor(), atol=1e-6)
    message = raises(RuntimeError, "root", net.blocks[0].reset_iter_state)
    return {"after reset": "sharded again, gradients right", "on a block": message}
