import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Temp(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Parameter(torch.full((), 0.07))  # <- FSDP006
    def forward(self, x):
        return x / self.value
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.temp = Temp()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return self.temp(self.lin(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()
    def forward(self, x):
        return self.head(x)
def main(mesh):
    net = Net()
    fully_shard(net.head, mesh=mesh)
    fully_shard(net, mesh=mesh)
