import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model, policy):
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def _step(self, x):
        self.model(x).sum().backward()
        self.opt.step()  # <- FSDP094

    def fit(self, loader):
        for x in loader:
            self._step(x)
