"""Before torch 2.11: units inside a checkpointed block, two forwards, one backward: mixed Tensor and DTensor."""

from _lab import Net, batch, raises
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import fully_shard


def _net(nested):
    net = Net()
    for number, block in enumerate(net.blocks):
        if nested:
            fully_shard(block.up)
            fully_shard(block.down)
        net.blocks[number] = fully_shard(checkpoint_wrapper(block))
    return fully_shard(net)


def _two_forwards(net, rank):
    (net(batch(rank)).square().sum() + net(batch(rank + 10)).square().sum()).backward()


def probe(rank, world_size):
    """Fail with nested units; one unit for each block works."""
    message = raises(RuntimeError, "got mixed torch.Tensor and DTensor", lambda: _two_forwards(_net(nested=True), rank))
    _two_forwards(_net(nested=False), rank)
    return {"nested units": message[:60], "one unit a block": "trains"}
