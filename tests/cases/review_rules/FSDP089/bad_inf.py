import torch
from torch.distributed.fsdp import fully_shard
@torch.inference_mode()  # <- FSDP089
def sanity(m, x):
    return m(x)
def main(m, loader, opt, x0, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    sanity(m, x0)
    for x in loader:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
