import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


def main(x):
    torch.manual_seed(1234)
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
    fully_shard(model)
    torch.manual_seed(1234 + dist.get_rank())
    model(x).sum().backward()
