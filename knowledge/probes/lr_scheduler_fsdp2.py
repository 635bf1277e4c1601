"""A cosine schedule under FSDP2 gives the closed form's rates on every rank and survives its state dict."""

import math

import torch
import torch.distributed as dist
from _lab import Net, batch, shard

STEPS = 10
RATE = 0.1


def _pair(net):
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE)
    return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=STEPS)


def _expected(step):
    return RATE * (1 + math.cos(math.pi * step / STEPS)) / 2


def probe(rank, world_size):
    """Five steps, the state into a new scheduler, five more."""
    net = shard(Net())
    optimizer, scheduler = _pair(net)
    for step in range(STEPS):
        if step == STEPS // 2:
            state = scheduler.state_dict()
            optimizer, scheduler = _pair(net)
            scheduler.load_state_dict(state)
            optimizer.param_groups[0]["lr"] = scheduler.get_last_lr()[0]
        rates = [None] * world_size
        dist.all_gather_object(rates, optimizer.param_groups[0]["lr"])
        assert len(set(rates)) == 1, rates
        assert math.isclose(rates[0], _expected(step), rel_tol=1e-9), (step, rates[0], _expected(step))
        net(batch(rank)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
    return {"rates": "closed form of the cosine on every rank", "restored at": STEPS // 2}
