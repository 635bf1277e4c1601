import torch
from library import Scaled
from torch import nn
from torch.distributed.fsdp import fully_shard


class Gain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.empty(width))

    def reset_parameters(self):
        self.to_empty(device="cuda", recurse=False)
        nn.init.ones_(self.gain)

    def forward(self, x):
        return x * self.gain


class Tower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = Gain(width), Gain(width)

    def forward(self, x):
        return self.second(self.first(x))


def own(width, batch):
    with torch.device("meta"):
        tower = Tower(width)
    fully_shard(tower)
    for part in tower.modules():
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()
    return tower(batch)


def elsewhere(width, batch):
    with torch.device("meta"):
        scaled = Scaled(width)
    fully_shard(scaled)
    scaled.reset_parameters()
    return scaled(batch)
