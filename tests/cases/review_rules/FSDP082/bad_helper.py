import torch
from torch.distributed.fsdp import fully_shard
def set_sync(model, on):
    model.set_requires_gradient_sync(on)
def train(m, opt, loader, n, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for i, x in enumerate(loader):
        set_sync(m, i % n == 0)  # <- FSDP082
        m(x).mean().backward()
        if (i + 1) % n == 0:
            opt.step()
            opt.zero_grad()
