import math
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
def scalar(v):
    return nn.Parameter(torch.tensor(float(v)))  # <- FSDP006
class CLIP(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.proj = nn.Linear(d, d)
        self.logit_scale = scalar(math.log(10))
    def forward(self, x):
        return self.proj(x) * self.logit_scale.exp()
def main(mesh):
    clip = CLIP(64)
    for m in clip.children():
        fully_shard(m, mesh=mesh)
    fully_shard(clip, mesh=mesh)
