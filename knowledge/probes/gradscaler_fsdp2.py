"""The plain GradScaler agrees over the ranks when the gradients are DTensors of fully_shard."""

import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def probe(rank, world_size):
    """Put inf into the local shard of rank 1 alone; both ranks skip and halve the scale."""
    net = nn.Linear(4, 4)
    fully_shard(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    for overflow in (True, False):
        before = net.weight.to_local().detach().clone()
        optimizer.zero_grad()
        scaler.scale(net(torch.ones(2, 4)).sum()).backward()
        if overflow and rank == 1:
            net.weight.grad.to_local().fill_(float("inf"))
        scaler.step(optimizer)
        scaler.update()
        stepped = not torch.equal(before, net.weight.to_local().detach())
        assert stepped is not overflow, (overflow, stepped)
        assert scaler.get_scale() == 4.0, scaler.get_scale()
    return {"inf on rank 1": "both ranks skip, scale 8 becomes 4", "next step": "both ranks step"}
