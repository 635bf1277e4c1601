"""One fully_shard on the root unshards the whole model at once; per block only one or two units are unsharded."""

from _lab import Net, batch, shard
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor


def _unsharded_blocks(net, rank):
    """Return, for each block's forward, how many blocks are unsharded at that moment."""
    seen = []

    def look(*_):
        seen.append(sum(not isinstance(block.up.weight, DTensor) for block in net.blocks))

    for block in net.blocks:
        block.up.register_forward_pre_hook(look)
    net(batch(rank)).sum().backward()
    return seen


def probe(rank, world_size):
    """Count the unsharded blocks while each of four blocks computes."""
    root_only = _unsharded_blocks(fully_shard(Net(blocks=4)), rank)
    per_block = _unsharded_blocks(shard(Net(blocks=4)), rank)
    assert root_only == [4, 4, 4, 4], root_only
    assert per_block == [1, 1, 1, 1], per_block
    return {"unsharded blocks, root only": root_only, "unsharded blocks, per block": per_block}
