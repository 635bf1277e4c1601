import torch
from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, scaler):
    fully_shard(model)
    for x in loader:
        loss = model(x).sum()
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        optimizer.zero_grad()
