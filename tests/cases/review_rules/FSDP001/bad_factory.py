import torch
from functools import partial
from torch.distributed.fsdp import fully_shard as shard


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.make_optimizer = partial(torch.optim.AdamW, lr=lr)
        self.optimizer = self.make_optimizer(self.model.parameters())  # <- FSDP001
        self._wrap()

    def _wrap(self):
        for block in self.model.blocks:
            shard(block)
        shard(self.model)

    def train(self, loader):
        for batch in loader:
            self.model(batch).mean().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
