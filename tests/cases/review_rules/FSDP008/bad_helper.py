import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class LM(nn.Module):
    def __init__(self, v, d, n):
        super().__init__()
        self.embed = nn.Embedding(v, d)
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(n)])
        self.out = nn.Linear(d, v, bias=False)
        self._tie()
    def _tie(self):
        self.out.weight = self.embed.weight
    def forward(self, x):
        x = self.embed(x)
        for l in self.layers:
            x = l(x)
        return self.out(x)
def parallelize(lm: LM, mesh):
    for unit in (lm.embed, *lm.layers, lm.out):
        fully_shard(unit, mesh=mesh)  # <- FSDP008
    fully_shard(lm, mesh=mesh)
