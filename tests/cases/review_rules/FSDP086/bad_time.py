import time
from torch.distributed.fsdp import fully_shard
def train(m, opt, loader, budget, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    start = time.monotonic()
    for x in loader:
        if time.monotonic() - start > budget:  # <- FSDP086
            break
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
