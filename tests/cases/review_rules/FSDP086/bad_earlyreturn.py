import torch
from torch.distributed.fsdp import fully_shard


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.best = None
        self.counter = 0

    def __call__(self, loss):
        if self.best is None or loss < self.best:
            self.best = loss
            self.counter = 0
            return False
        self.counter += 1
        return self.counter >= self.patience


@torch.no_grad()
def validate(model, loader):
    losses = []
    for x in loader:
        losses.append(model(x).mean().item())
    return sum(losses) / len(losses)


def main(model, optimizer, loader, val_loader, epochs):
    fully_shard(model)
    early = EarlyStopping(3)
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        val_loss = validate(model, val_loader)
        if early(val_loss):  # <- FSDP086
            print("stop")
            return
