"""requires_grad can be changed after fully_shard and between steps; FSDP2 follows it for each parameter."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Freeze after sharding, train, unfreeze, train."""
    net = shard(Net())
    net.blocks.requires_grad_(False)
    net(batch(rank)).sum().backward()
    assert net.blocks[0].up.weight.grad is None
    assert net.head.weight.grad is not None
    net.zero_grad()
    net.blocks[1].requires_grad_(True)
    net(batch(rank)).sum().backward()
    assert net.blocks[1].up.weight.grad is not None
    assert net.blocks[0].up.weight.grad is None
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad])
    optimizer.step()
    return {"frozen": "no gradient", "unfrozen later": "gradient from the next backward on"}
