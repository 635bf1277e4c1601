import torch
from torch.distributed.fsdp import fully_shard
def main(m, loader, opt, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for step, x in enumerate(loader):
        m(x).mean().backward()
        gn = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        line = "step %d |g| %.4f" % (step, gn)  # <- FSDP070
        print(line)
