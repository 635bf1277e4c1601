import torch
from torch.distributed.fsdp import fully_shard


def broken(loss):
    return torch.isnan(loss) or torch.isinf(loss)


class Worker:
    def __init__(self, net, optimizer):
        self.net, self.optimizer = fully_shard(net), optimizer
        self.usual = None

    def update(self, batch):
        loss = self.net(**batch).loss
        if broken(loss):  # <- FSDP086
            self.optimizer.zero_grad()
            return None
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def update_without_spikes(self, batch):
        loss = self.net(**batch).loss
        now = loss.item()
        self.usual = now if self.usual is None else 0.99 * self.usual + 0.01 * now
        if now > 4 * self.usual:  # <- FSDP086
            return
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


def train(net, batches, optimizer):
    fully_shard(net)
    for batch in batches:
        if (batch["labels"] >= 0).sum() == 0:  # <- FSDP086
            continue
        net(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
