import torch
from torch.distributed.fsdp import fully_shard
def is_last(i, n):
    return (i + 1) % n == 0
def train(m, opt, loader, n, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for i, x in enumerate(loader):
        m.set_requires_gradient_sync(is_last(i, n))
        m(x).mean().backward()
        if is_last(i, n):
            opt.step()
            opt.zero_grad()
