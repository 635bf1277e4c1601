import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(n))
        self.head = nn.Sequential(nn.Linear(4, 4), nn.ReLU())


def loops(net: Net):
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net.head)
    fully_shard(net)


def grouped(net: Net):
    fully_shard([net.blocks[0], net.blocks[1]])
