import torch
from torch.distributed.fsdp import fully_shard
def update(m, opt, x):
    loss = m(x).mean()
    loss.backward()
    opt.step()  # <- FSDP094
    return loss
def main(m, loader, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        update(m, opt, x)
