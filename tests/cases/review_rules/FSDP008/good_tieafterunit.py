from torch.distributed.fsdp import fully_shard
import torch.nn as nn
class LM(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.embed = nn.Embedding(v, d)
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(2)])
        self.out = nn.Linear(d, v, bias=False)
        self.out.weight = self.embed.weight
    def forward(self, x):
        x = self.embed(x)
        for l in self.layers:
            x = l(x)
        return self.out(x)
def main(mesh):
    lm = LM(10, 8)
    for l in lm.layers:
        fully_shard(l, mesh=mesh)
    fully_shard([lm.embed, lm.out], mesh=mesh)
    fully_shard(lm, mesh=mesh)
