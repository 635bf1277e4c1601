import torch
from torch.distributed.fsdp import fully_shard


def train(model, batches, optimizer, accum):
    fully_shard(model)
    for group in batches:
        for index, x in enumerate(group):
            model.set_requires_gradient_sync(index == accum - 1)
            model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
