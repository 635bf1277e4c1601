import torch
from torch.distributed.fsdp import fully_shard


def evaluate(model, loader):
    total, count = 0.0, 0
    with torch.no_grad():
        for x in loader:
            total += model(x).mean().item()
            count += 1
    return total / count


def main(model, optimizer, loader, val_loader, epochs):
    fully_shard(model)
    best, bad = float("inf"), 0
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        val = evaluate(model, val_loader)
        if val < best:
            best, bad = val, 0
        else:
            bad += 1
            if bad >= 3:  # <- FSDP086
                break
