import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset


def seeded(model, data, optimizer):
    fully_shard(model)
    torch.manual_seed(1234 + dist.get_rank())
    for x in DataLoader(data, shuffle=True):
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def made_up(model, optimizer):
    fully_shard(model)
    data = TensorDataset(torch.randn(64, 8))
    for x in DataLoader(data, shuffle=True):
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
