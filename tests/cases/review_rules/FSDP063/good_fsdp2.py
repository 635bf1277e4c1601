import torch
from torch.amp import GradScaler
from torch.distributed.fsdp import fully_shard


def main(model, loader):
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler("cuda")
    for x in loader:
        scaler.scale(model(x).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
