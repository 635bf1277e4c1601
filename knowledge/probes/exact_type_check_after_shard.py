"""fully_shard swaps the class: type() and __class__ comparisons fail, isinstance holds."""

from _lab import Block, Net, shard
from torch import nn
from torch.distributed.fsdp import FSDPModule


def probe(rank, world_size):
    """Compare class, class name and isinstance before and after."""
    net = Net()
    assert type(net.blocks[0]) is Block
    shard(net)
    block = net.blocks[0]
    assert type(block) is not Block
    assert block.__class__.__name__ == "FSDPBlock"
    assert isinstance(block, Block)
    assert isinstance(block, FSDPModule)
    assert type(net.blocks) is nn.ModuleList
    assert sum(type(module) is Block for module in net.modules()) == 0
    assert sum(isinstance(module, Block) for module in net.modules()) == 2
    return {"class name": block.__class__.__name__, "isinstance": True, "type is Block": False}
