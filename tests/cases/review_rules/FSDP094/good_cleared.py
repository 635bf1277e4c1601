import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader):
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        model.zero_grad(set_to_none=True)
