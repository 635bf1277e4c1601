import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Out:
    def __init__(self, logits, aux):
        self.logits = logits
        self.aux = aux
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 8)
    def forward(self, x):
        y = self.l(x)
        return Out(y, y.sum())  # <- FSDP091
def main(mesh):
    n = N()
    fully_shard(n, mesh=mesh)
    return n
