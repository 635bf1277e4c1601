import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import fully_shard


class Tokens(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.table = nn.Embedding(v, d)

    def forward(self, ids):
        return self.table(ids)

    def reset(self):
        nn.init.normal_(self.table.weight, std=0.02)

    def normalize(self):
        self._unit(self.table.weight)

    @staticmethod
    def _unit(weight):
        weight.copy_(F.normalize(weight, dim=-1))

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
        return self.tokens.logits(h)


def shard(mesh):
    model = Model(1000, 64)
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    model.tokens.reset()
    model.tokens.normalize()
    return model
