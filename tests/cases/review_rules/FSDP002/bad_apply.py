import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.emb = nn.Embedding(50000, 4096)
        self.blocks = nn.Sequential(*[nn.TransformerEncoderLayer(4096, 32) for _ in range(n)])
        self.head = nn.Linear(4096, 50000)
    def forward(self, x):
        return self.head(self.blocks(self.emb(x)))
def prepare(n, mesh):
    net = Net(n)
    shard_kw = {"mesh": mesh}
    return fully_shard(net, **shard_kw)  # <- FSDP002
