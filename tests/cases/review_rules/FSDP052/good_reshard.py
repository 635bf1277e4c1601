import torch
from torch.distributed.fsdp import fully_shard


def train(model, optimizer, loader, probe):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model, reshard_after_forward=True)
    for x in loader:
        model(x).sum().backward()
        with torch.no_grad():
            print(model(probe).mean())
        optimizer.step()
        optimizer.zero_grad()
