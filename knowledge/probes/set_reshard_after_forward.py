"""set_reshard_after_forward changes the setting at run time, recursively, and takes a bool only."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor


def _sharded_after_forward(net, rank):
    with torch.no_grad():
        net(batch(rank))
    return [isinstance(module.weight, DTensor) for module in (net.blocks[0].up, net.head)]


def probe(rank, world_size):
    """Switch a net between both settings."""
    net = shard(Net())
    assert _sharded_after_forward(net, rank) == [True, False]
    net.set_reshard_after_forward(False)
    assert _sharded_after_forward(net, rank) == [False, False]
    net.set_reshard_after_forward(True)
    assert _sharded_after_forward(net, rank) == [True, True]
    net.set_reshard_after_forward(False, recurse=False)
    assert _sharded_after_forward(net, rank) == [True, False]
    message = raises(ValueError, "should be a bool", lambda: net.set_reshard_after_forward(2))
    return {"False": "all stay unsharded", "True": "all resharded, the root too", "int": message}
