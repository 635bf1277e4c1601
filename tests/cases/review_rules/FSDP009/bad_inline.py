import torch
from torch.distributed.fsdp import fully_shard
from zoo import GPT


def main(cfg, loader):
    model = GPT(cfg)
    for block in model.transformer.h:
        fully_shard(block)  # <- FSDP009
    optimizer = torch.optim.AdamW(model.parameters())
    for ids in loader:
        model(ids).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
