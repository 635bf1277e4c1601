import torch
from torch.distributed.fsdp import fully_shard
def evaluate(model, loader):
    model.eval()
    total = 0.0
    for x in loader:
        total += model(x).mean().item()  # <- FSDP088
    return total
def main(m, tr, va, opt, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    for x in tr:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
    return evaluate(m, va)
