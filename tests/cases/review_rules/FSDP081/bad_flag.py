import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model, policy, accum):
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.accum = accum

    def train(self, loader):
        for step, x in enumerate(loader, start=1):
            last = step % self.accum == 0
            self.model(x).sum().backward()  # <- FSDP081
            if last:
                self.optimizer.step()
                self.optimizer.zero_grad()
