import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def train(m, opt, loader, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    rank = dist.get_rank()
    for x in loader:
        m(x).mean().backward()
        if rank == 0:
            total = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)  # <- FSDP040
        opt.step()
        opt.zero_grad()
