import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader):
    model = model.to(torch.bfloat16)  # <- FSDP061
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
