import math
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience, self.counter, self.best, self.early_stop = patience, 0, None, False

    def __call__(self, val_loss, model):
        score = -val_loss
        if self.best is None:
            self.best = score
        elif score < self.best:
            self.counter += 1
            if self.counter >= self.patience:
                self.early_stop = True
        else:
            self.best = score
            self.counter = 0


def evaluate(model, loader):
    losses = []
    with torch.no_grad():
        for x in loader:
            losses.append(model(x).mean())
    return torch.stack(losses).mean().item()


def main(model, optimizer, loader, val_loader, epochs):
    fully_shard(model)
    es = EarlyStopping()
    history = []
    stop = False
    best = 1e9
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        val = evaluate(model, val_loader)
        flag = [val > 3]
        dist.broadcast_object_list(flag, src=0)
        if flag[0]:
            break
