from functools import partial
from torch.utils.checkpoint import checkpoint
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
ckpt = partial(checkpoint, use_reentrant=True)
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])
    def forward(self, x):
        for b in self.blocks:
            x = ckpt(b, x)  # <- FSDP111
        return x
def main(mesh):
    n = N()
    for b in n.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(n, mesh=mesh)
