import torch
from torch.distributed.fsdp import fully_shard
def train(m, it, opt, n, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    while True:
        for _ in range(n):
            (m(next(it)).mean() / n).backward()  # <- FSDP081
        opt.step()
        opt.zero_grad()
