import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m = fully_shard(m, mesh=mesh)
        self.opt = torch.optim.AdamW(self.m.parameters())
    @torch.no_grad()
    def val(self, x):
        return self.m(x).mean()
    def fit(self, loader, vx):
        for x in loader:
            loss = self.m(x).mean()
            loss.backward()
            self.val(vx)  # <- FSDP052
            self.opt.step()
            self.opt.zero_grad()
