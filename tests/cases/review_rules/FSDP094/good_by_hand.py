import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader, scheduler):
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        scheduler.step()
        for parameter in model.parameters():
            parameter.grad = None
