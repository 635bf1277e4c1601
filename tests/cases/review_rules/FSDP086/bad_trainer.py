import torch
from torch.distributed.fsdp import fully_shard


class Trainer:
    def __init__(self, model, optimizer, loader, patience):
        self.model = fully_shard(model)
        self.optimizer, self.loader = optimizer, loader
        self.best, self.bad, self.patience = 1e9, 0, patience

    def train_one_epoch(self):
        total = 0.0
        for x in self.loader:
            loss = self.model(x).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            total += loss.item()
        return total / len(self.loader)

    def should_stop(self, value):
        if value < self.best:
            self.best = value
            self.bad = 0
        else:
            self.bad += 1
        return self.bad >= self.patience

    def fit(self, epochs):
        for epoch in range(epochs):
            value = self.train_one_epoch()
            if self.should_stop(value):  # <- FSDP086
                break
