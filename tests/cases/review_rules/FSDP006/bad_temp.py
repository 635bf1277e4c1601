import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Gate(nn.Module):
    def __init__(self, init=1.0):
        super().__init__()
        self.scale = nn.Parameter(torch.scalar_tensor(init))  # <- FSDP006
    def forward(self, x):
        return x * self.scale
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.fc = nn.Linear(8, 8)
    def forward(self, x):
        return self.gate(self.fc(x))
def main(mesh):
    net = Net()
    fully_shard(net, mesh=mesh)
