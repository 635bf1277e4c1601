import itertools

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def counted(model, files, read, optimizer, steps):
    fully_shard(model)
    mine = files[dist.get_rank() :: dist.get_world_size()]
    for step, name in enumerate(itertools.cycle(mine)):
        if step == steps:
            break
        model(read(name)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def agreed(model, files, read, optimizer):
    fully_shard(model)
    for name in files[dist.get_rank() :: dist.get_world_size()]:
        more = torch.ones(1)
        dist.all_reduce(more, op=dist.ReduceOp.MIN)
        model(read(name)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
