import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer):
    fully_shard(model)
    total = torch.zeros(())
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total = total + loss.detach()
    return total.item()
