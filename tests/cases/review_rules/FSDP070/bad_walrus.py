import torch
from torch.distributed.fsdp import fully_shard
def step(m, opt, x, log):
    m(x).mean().backward()
    if (n := torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)) is not None:
        log.write(f"grad norm {n:8.4f}\n")  # <- FSDP070
    opt.step()
    opt.zero_grad()
def main(m, opt, loader, log, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in loader:
        step(m, opt, x, log)
