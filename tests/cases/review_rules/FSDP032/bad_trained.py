import torch
from torch.distributed.fsdp import fully_shard


def main(model, loader):
    fully_shard(model, ignored_params={model.scale})  # <- FSDP032
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
