"""fully_shard twice on one module raises, also when the root call stands in the loop over the blocks."""

from _lab import Net, raises
from torch.distributed.fsdp import FSDPModule, fully_shard


def _root_in_loop():
    net = Net()
    for block in net.blocks:
        fully_shard(block)
        fully_shard(net)


def probe(rank, world_size):
    """Call it twice on a block, put the root call into the loop, and guard with isinstance."""
    net = Net()
    fully_shard(net.blocks[0])
    twice = raises(Exception, "", lambda: fully_shard(net.blocks[0]))
    in_loop = raises(Exception, "", _root_in_loop)
    for block in net.blocks:
        if not isinstance(block, FSDPModule):
            fully_shard(block)
    fully_shard(net)
    return {"twice": twice[:100], "root inside the loop": in_loop[:100]}
