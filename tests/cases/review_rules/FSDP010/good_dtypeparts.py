import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class B(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d, dtype=torch.bfloat16)
        self.k = nn.Linear(d, d, dtype=torch.bfloat16)
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        return self.drop(self.q(x) + self.k(x))
def main(mesh):
    fully_shard(B(8), mesh=mesh)
