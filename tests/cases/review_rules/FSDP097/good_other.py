import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader, load):
    fully_shard(model)
    for name in loader:
        try:
            x = load(name)
        except torch.OutOfMemoryError:
            continue
        try:
            model(x).sum().backward()
        except KeyboardInterrupt:
            return
