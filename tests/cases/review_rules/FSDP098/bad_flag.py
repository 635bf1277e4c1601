import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def should_stop(history, rank):
    if rank == 0 and len(history) > 3 and history[-1] > history[-2]:
        return True
    return False
def main(m, loader, opt, evaluate, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    hist = []
    for ep in range(50):
        for x in loader:
            m(x).mean().backward()
            opt.step()
            opt.zero_grad()
        hist.append(evaluate(m))
        if should_stop(hist, dist.get_rank()):  # <- FSDP098
            break
