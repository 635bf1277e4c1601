import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, check):
    fully_shard(model)
    for epoch in range(10):
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        stop = torch.zeros(1)
        if dist.get_rank() == 0:
            stop.fill_(float(check() > 3))
        dist.broadcast(stop, src=0)
        if stop.item():
            break
