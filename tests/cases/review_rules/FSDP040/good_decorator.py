import functools
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def timed(fn):
    @functools.wraps(fn)
    def inner(*a, **k):
        if dist.get_rank() == 0:
            print("start")
        return fn(*a, **k)
    return inner
@timed
def train(model, loader, opt, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    for x in loader:
        model(x).mean().backward()
        opt.step()
        opt.zero_grad()
