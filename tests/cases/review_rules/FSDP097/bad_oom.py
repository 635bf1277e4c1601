import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer):
    fully_shard(model)
    for x in loader:
        try:
            model(x).sum().backward()
        except torch.cuda.OutOfMemoryError:  # <- FSDP097
            torch.cuda.empty_cache()
            continue
        optimizer.step()
        optimizer.zero_grad()
