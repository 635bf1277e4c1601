import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.best = float("inf")
        self.bad = 0
        self.stop = False

    def step(self, value):
        if value < self.best:
            self.best = value
            self.bad = 0
        else:
            self.bad += 1
        if self.bad >= self.patience:
            self.stop = True


def evaluate(model, loader):
    total, count = 0.0, 0
    model.eval()
    with torch.no_grad():
        for x in loader:
            total += model(x).mean().item()
            count += 1
    return total / count


def main(model, optimizer, loader, val_loader, epochs):
    fully_shard(model)
    stopper = EarlyStopping(3)
    for epoch in range(epochs):
        model.train()
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        value = torch.tensor(evaluate(model, val_loader), device="cuda")
        dist.all_reduce(value)
        stopper.step(value.item())
        if stopper.stop:
            break
