import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 8)
    def forward(self, x):
        return self.l(x).view(-1, 8)
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = B()
    def forward(self, x):
        y = self.b(x)
        y += 1  # <- FSDP090
        return y
def main(mesh):
    n = N()
    fully_shard(n.b, mesh=mesh)
    fully_shard(n, mesh=mesh)
