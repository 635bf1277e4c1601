import torch
from torch.distributed.fsdp import fully_shard


def main(model, sample, loader):
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    with torch.no_grad():
        model(sample)
    optimizer = torch.optim.AdamW(model.parameters())  # <- FSDP052
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
