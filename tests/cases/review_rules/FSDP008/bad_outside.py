import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class LM(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.wte = nn.Embedding(v, d)
        self.body = nn.Linear(d, d)
        self.lm_head = nn.Linear(d, v, bias=False)
    def forward(self, x):
        return self.lm_head(self.body(self.wte(x)))
def main(mesh):
    m = LM(32000, 1024)
    m.lm_head.weight = m.wte.weight
    fully_shard(m.lm_head, mesh=mesh)  # <- FSDP008
    fully_shard(m, mesh=mesh)
