"""Two sharded models in one process: each its own root; one optimizer may hold both."""

import torch
from _lab import Net, batch, shard


def probe(rank, world_size):
    """Train a generator and a critic with one backward, and with optimizers of their own."""
    generator, critic = shard(Net()), shard(Net())
    critic(generator(batch(rank))).square().mean().backward()
    assert generator.head.weight.grad is not None
    assert critic.head.weight.grad is not None
    assert generator._get_fsdp_state()._is_root
    assert critic._get_fsdp_state()._is_root
    both = torch.optim.AdamW([*generator.parameters(), *critic.parameters()], lr=0.1)
    torch.nn.utils.clip_grad_norm_(both.param_groups[0]["params"], 1.0)
    both.step()
    both.zero_grad()
    critic.requires_grad_(False)
    critic(generator(batch(rank))).square().mean().backward()
    assert generator.head.weight.grad is not None
    assert critic.head.weight.grad is None
    return {"roots": 2, "gradient through a frozen model": True}
