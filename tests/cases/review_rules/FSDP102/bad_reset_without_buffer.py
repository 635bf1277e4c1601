import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Rope(nn.Module):
    def __init__(self, dim, theta=10000.0):
        super().__init__()
        inv = 1.0 / (theta ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv, persistent=False)

    def forward(self, t):
        return torch.outer(t, self.inv_freq)


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.rope = Rope(d)
        self.qkv = nn.Linear(d, 3 * d)

    def reset_parameters(self):
        self.qkv.reset_parameters()


class Model(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.layers = nn.ModuleList(Attn(d) for _ in range(n))


def build(d=128, n=4):
    with torch.device("meta"):
        m = Model(d, n)
    for l in m.layers:
        fully_shard(l)
    fully_shard(m)
    m.to_empty(device="cuda")  # <- FSDP102
    for mod in m.modules():
        if hasattr(mod, "reset_parameters"):
            mod.reset_parameters()
    return m
