import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m = fully_shard(m, mesh=mesh)
        self.opt = torch.optim.AdamW(self.m.parameters())
    def run(self, loader):
        for x in loader:
            loss = self.m(x).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.m.parameters(), 1.0)
            self.opt.step()  # <- FSDP094
