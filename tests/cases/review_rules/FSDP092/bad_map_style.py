import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader


class Run:
    def __init__(self, model, policy, data):
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.loader = self.make_loader(data)

    def make_loader(self, data):
        return DataLoader(data, batch_size=4, shuffle=True)  # <- FSDP092

    def fit(self, optimizer):
        for x in self.loader:
            self.model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
