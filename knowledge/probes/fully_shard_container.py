"""fully_shard refuses ModuleList and ModuleDict; a loop or a Python list of modules works."""

from _lab import Net, batch, raises
from torch import nn
from torch.distributed.fsdp import FSDPModule, fully_shard


def probe(rank, world_size):
    """Shard the containers, then their elements."""
    net = Net()
    message = raises(ValueError, "containers that do not implement forward", lambda: fully_shard(net.blocks))
    raises(ValueError, "containers", lambda: fully_shard(nn.ModuleDict({"a": nn.Linear(2, 2)})))
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net)
    net(batch(rank)).sum().backward()
    assert not isinstance(net.blocks, FSDPModule)
    assert all(isinstance(block, FSDPModule) for block in net.blocks)
    fully_shard(nn.Sequential(nn.Linear(2, 2)))
    return {"ModuleList": message[:70], "loop over its elements": "trains", "Sequential": "accepted"}
