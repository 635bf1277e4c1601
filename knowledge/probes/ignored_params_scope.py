"""ignored_params counts for the call it is given to: a child that is sharded earlier does not know of it."""

from _lab import Net
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Ignore a block's parameter in the root's call only, in the block's call, and by name."""
    late = Net()
    bias = late.blocks[0].up.bias
    fully_shard(late.blocks[0])
    fully_shard(late, ignored_params={bias})
    assert isinstance(late.blocks[0].up.bias, DTensor)
    early = Net()
    fully_shard(early.blocks[0], ignored_params={early.blocks[0].up.bias})
    fully_shard(early)
    assert not isinstance(early.blocks[0].up.bias, DTensor)
    named = Net()
    fully_shard(named, ignored_params={"head.weight"})
    assert isinstance(named.head.weight, DTensor)
    return {"root's call only": "sharded", "block's call": "ignored", "names instead of parameters": "silently sharded"}
