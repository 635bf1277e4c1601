import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, accum):
    fully_shard(model)
    for step, x in enumerate(loader):
        last = (step + 1) % accum == 0
        model.set_requires_gradient_sync(last)
        loss = model(x).sum()
        bad = torch.isnan(loss).float()
        dist.all_reduce(bad)
        if bad:
            optimizer.zero_grad()  # <- FSDP083
            continue
        loss.backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()
