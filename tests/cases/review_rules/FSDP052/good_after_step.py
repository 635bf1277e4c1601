import torch
from torch.distributed.fsdp import fully_shard


def train(model, optimizer, loader, probe):
    fully_shard(model)
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            print(model(probe).mean())
