import torch
from torch.distributed.fsdp import fully_shard
def train(m, opt, loader, n, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for i, x in enumerate(loader):
        if (i + 1) % n != 0:
            m.set_requires_gradient_sync(False)  # <- FSDP082
        m(x).mean().backward()
        if (i + 1) % n == 0:
            opt.step()
            opt.zero_grad()
