import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def main(loader, optimizer):
    torch.manual_seed(1234)  # <- FSDP096
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
    fully_shard(model)
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
