import math
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class ClipHead(nn.Module):
    def __init__(self, width, init_scale=1 / 0.07):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.logit_scale = nn.Parameter(torch.ones([]) * math.log(init_scale))  # <- FSDP006

    def forward(self, a, b):
        return self.logit_scale.exp() * self.proj(a) @ b.t()


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
        self.head = ClipHead(64)

    def forward(self, x, y):
        return self.head(self.backbone(x), y)


def get_model():
    torch.distributed.init_process_group()
    t = Tower()
    fully_shard(t.backbone)
    fully_shard(t)
    return t
