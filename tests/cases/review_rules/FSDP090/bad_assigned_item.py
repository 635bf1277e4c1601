import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Tokens(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.table = nn.Embedding(v, d)

    def forward(self, ids):
        return self.table(ids).permute(1, 0, 2)


class Net(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.tokens, self.head = Tokens(v, d), nn.Linear(d, v)

    def forward(self, ids):
        h = self.tokens(ids)
        h[0] = 0.0  # <- FSDP090
        return self.head(h)


def build(mesh):
    net = Net(100, 16)
    fully_shard(net.tokens, mesh=mesh)
    return fully_shard(net, mesh=mesh)
