import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def should_log(step):
    return dist.get_rank() == 0 and step % 10 == 0
def train(model, loader, opt, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    for step, x in enumerate(loader):
        loss = model(x).mean()
        loss.backward()
        if should_log(step):
            dist.all_reduce(loss)  # <- FSDP040
        opt.step()
        opt.zero_grad()
