import functools
import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


class Adapter(nn.Module):
    def __init__(self, base: nn.Linear, r=4):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.down, self.up = nn.Linear(base.in_features, r, bias=False), nn.Linear(r, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x))


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l = Adapter(nn.Linear(d, d))

    def forward(self, x):
        return self.l(x)


def build(d=64, n=4):
    net = nn.Sequential(*[Block(d) for _ in range(n)])
    return FSDP(net, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=0)  # <- FSDP015
