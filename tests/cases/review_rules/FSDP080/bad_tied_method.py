import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard


class Tokens(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.table = nn.Embedding(v, d)

    def forward(self, ids):
        return self.table(ids)

    def logits(self, h):
        return F.linear(h, self.table.weight)


class Model(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.tokens = Tokens(v, d)
        self.blocks = nn.ModuleList([nn.Linear(d, d) for _ in range(4)])

    def forward(self, ids):
        h = self.tokens(ids)
        for block in self.blocks:
            h = block(h)
        return self.tokens.logits(h)  # <- FSDP080


def shard(mesh):
    model = Model(1000, 64)
    fully_shard(model.tokens, mesh=mesh)
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)
