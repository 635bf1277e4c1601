import torch
from torch.distributed import fsdp
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)


def shrink(part):
    return part.half()  # <- FSDP010


def build():
    net = Net()
    shrink(net.body)
    fsdp.fully_shard(net)
