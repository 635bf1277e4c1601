import torch
from torch.distributed.fsdp import fully_shard
def train(m, opt, loader, n, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for i, x in enumerate(loader):
        last = (i + 1) % n == 0
        m.set_requires_gradient_sync(last)
        m(x).mean().backward()
        torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)  # <- FSDP068
        if last:
            opt.step()
            opt.zero_grad()
