import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


def rope_table(dim, n, base=10000.0):
    f = 1.0 / base ** (torch.arange(0, dim, 2) / dim)
    return torch.polar(torch.ones(n, dim // 2), torch.outer(torch.arange(n), f))


class Lm(nn.Module):
    def __init__(self, d=64, n=4, v=100):
        super().__init__()
        self.tok = nn.Embedding(v, d)
        self.blocks = nn.ModuleList([nn.Linear(d, d) for _ in range(n)])
        self.register_buffer("freqs_cis", rope_table(d, 128), persistent=False)

    def forward(self, x):
        h = self.tok(x)
        for b in self.blocks:
            h = b(h)
        return h

    @torch.no_grad()
    def init_weights(self):
        nn.init.normal_(self.tok.weight)
        for b in self.blocks:
            nn.init.trunc_normal_(b.weight, std=0.02)
            nn.init.zeros_(b.bias)


def make():
    with torch.device("meta"):
        lm = Lm()
    for b in lm.blocks:
        fully_shard(b)
    fully_shard(lm)
    lm.to_empty(device="cuda")  # <- FSDP102
    lm.init_weights()
    return lm
