import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class MoE(nn.Module):
    def __init__(self, n):
        super().__init__()
        layers = [nn.Linear(64, 64) for _ in range(n)]
        self.experts = nn.ModuleDict({str(i): l for i, l in enumerate(layers)})
        self.out = nn.Linear(64, 64)
    def forward(self, x):
        return self.out(sum(e(x) for e in self.experts.values()))
def shard(model: MoE, mesh):
    for name in ("experts", "out"):
        fully_shard(getattr(model, name), mesh=mesh)  # <- FSDP004
    fully_shard(model, mesh=mesh)
