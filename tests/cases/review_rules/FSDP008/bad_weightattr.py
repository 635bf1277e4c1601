import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Tied(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.v, cfg.d)
        self.blocks = nn.ModuleList(nn.Linear(cfg.d, cfg.d) for _ in range(cfg.n))
        self.head = nn.Linear(cfg.d, cfg.v, bias=False)
        self.tok.weight = self.head.weight
    def forward(self, x):
        h = self.tok(x)
        for b in self.blocks:
            h = b(h)
        return self.head(h)
def wrap(cfg, mesh):
    m = Tied(cfg)
    kw = dict(mesh=mesh)
    fully_shard(m.tok, **kw)  # <- FSDP008
    for b in m.blocks:
        fully_shard(b, **kw)
    fully_shard(m, **kw)
    return m
