import torch
from torch.distributed.fsdp import fully_shard
import torch.nn as nn
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 8)
    def forward(self, x):
        return self.l(x)
def main(loader, mesh):
    with torch.device("meta"):  # <- FSDP100
        n = N()
    fully_shard(n, mesh=mesh)
    for x in loader:
        n(x).mean().backward()
