import torch
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config, loader):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    model.to_empty(device="cuda")  # <- FSDP101
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
