import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
class M(nn.Module):
    def __init__(self, init=0.07):
        super().__init__()
        self.t = nn.Parameter(torch.tensor([init]))
        self.u = nn.Parameter(torch.ones(1) * init)
        self.l = nn.Linear(8, 8)
    def forward(self, x):
        return self.l(x) * self.t + self.u
def main(mesh):
    m = M()
    fully_shard(m, mesh=mesh)
