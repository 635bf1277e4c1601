import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def main(x):
    torch.manual_seed(1234)
    model = nn.Linear(4, 4)
    fully_shard(model)
    model(x).sum().backward()
