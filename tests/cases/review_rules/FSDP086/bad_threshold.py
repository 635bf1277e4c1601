import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m = fully_shard(m, mesh=mesh)
        self.opt = torch.optim.AdamW(self.m.parameters())
        self.ema = 0.0
    def run(self, loader):
        for x in loader:
            loss = self.m(x).mean()
            spike = loss.item() > 3 * self.ema
            if not spike:  # <- FSDP086
                loss.backward()
                self.opt.step()
                self.opt.zero_grad()
