import torch
from torch.distributed.fsdp import fully_shard


def update(model, optimizer, last):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <- FSDP068
    if last:
        optimizer.step()
        optimizer.zero_grad()


def train(model, loader, optimizer, accum):
    fully_shard(model)
    for step, x in enumerate(loader):
        last = (step + 1) % accum == 0
        model.set_requires_gradient_sync(last)
        model(x).sum().backward()
        update(model, optimizer, last)
