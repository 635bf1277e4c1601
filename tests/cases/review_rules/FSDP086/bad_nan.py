import torch, math
from torch.distributed.fsdp import fully_shard
def bad(loss):
    return math.isnan(loss.item())
def train(m, opt, loader, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in loader:
        loss = m(x).mean()
        if bad(loss):  # <- FSDP086
            opt.zero_grad()
            continue
        loss.backward()
        opt.step()
        opt.zero_grad()
