import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader):
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        optimizer.step()  # <- FSDP094
