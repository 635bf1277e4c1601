"""The first module that runs forward becomes the root: a child first, then the root, raises."""

import torch
from _lab import Net, batch, raises, shard


def probe(rank, world_size):
    """Run a block before the net; then the net first and a block alone afterwards."""
    net = shard(Net())
    net.blocks[0](batch(rank))
    message = raises(RuntimeError, "has already been lazily initialized", lambda: net(batch(rank)))
    right = shard(Net())
    right(batch(rank)).sum().backward()
    with torch.no_grad():
        right.blocks[0](batch(rank))
    right(batch(rank)).sum().backward()
    early = shard(Net())
    early.blocks[0].unshard()
    early.blocks[0].reshard()
    early(batch(rank)).sum().backward()
    return {"child first": message.splitlines()[0], "root first, child later": "works", "unshard() first": "works"}
