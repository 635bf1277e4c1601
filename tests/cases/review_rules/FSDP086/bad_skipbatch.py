import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, m, mesh, opt):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m, self.opt = fully_shard(m, mesh=mesh), opt
    def usable(self, batch):
        return batch["labels"].ne(-100).any().item()
    def run(self, loader):
        for batch in loader:
            if not self.usable(batch):  # <- FSDP086
                continue
            self.m(batch["x"]).mean().backward()
            self.opt.step()
            self.opt.zero_grad()
