import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, m, mesh, limit):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m, self.limit = fully_shard(m, mesh=mesh), limit
    def ok(self, loss):
        return bool(torch.isfinite(loss)) and loss.item() < self.limit
    def run(self, loader, opt):
        for x in loader:
            loss = self.m(x).mean()
            if self.ok(loss):  # <- FSDP086
                loss.backward()
                opt.step()
            opt.zero_grad()
