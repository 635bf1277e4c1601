"""set_reshard_after_backward(False) keeps parameters unsharded after backward."""

from _lab import Net, batch, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Backward with and without; the optimizer's parameters come back with True."""
    net = shard(Net())
    net.set_requires_gradient_sync(False)
    net.set_reshard_after_backward(False)
    net(batch(rank)).sum().backward()
    assert not isinstance(net.blocks[0].up.weight, DTensor)
    assert not isinstance(net.head.weight, DTensor)
    net.set_requires_gradient_sync(True)
    net.set_reshard_after_backward(True)
    net(batch(rank)).sum().backward()
    assert isinstance(net.blocks[0].up.weight, DTensor)
    assert isinstance(net.blocks[0].up.weight.grad, DTensor)
    return {"False": "unsharded after backward", "True": "sharded after backward"}
