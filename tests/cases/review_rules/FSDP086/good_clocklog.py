import time
from torch.distributed.fsdp import fully_shard
def train(m, opt, loader, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    t0 = time.perf_counter()
    for i, x in enumerate(loader):
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
        if time.perf_counter() - t0 > 10:
            print(i)
            t0 = time.perf_counter()
