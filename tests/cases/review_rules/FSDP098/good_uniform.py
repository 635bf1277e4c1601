import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, steps):
    fully_shard(model)
    for step, x in enumerate(loader):
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        if dist.get_rank() == 0:
            print(step)
        if step == steps:
            break
