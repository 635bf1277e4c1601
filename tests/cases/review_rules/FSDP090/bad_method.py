import torch.nn as nn
from torch.distributed import fsdp


class Split(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, x):
        return self.lin(x).transpose(0, 1)


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.parts = nn.ModuleList(Split() for _ in range(n))


def run(net, x):
    for part in net.parts:
        x = part(x)
        x.mul_(0.5)  # <- FSDP090
    return x


def main(x):
    net = Net(3)
    for part in net.parts:
        fsdp.fully_shard(part)
    fsdp.fully_shard(net)
    return run(net, x)
