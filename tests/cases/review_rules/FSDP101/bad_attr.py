import torch
from torch.distributed.fsdp import fully_shard
class B:
    def __init__(self, cls, cfg, mesh):
        with torch.device("meta"):
            self.model = cls(cfg)
        for b in self.model.blocks:
            fully_shard(b, mesh=mesh)
        fully_shard(self.model, mesh=mesh)
        self.model.to_empty(device="cuda")  # <- FSDP101
        self.opt = torch.optim.AdamW(self.model.parameters())
    def run(self, loader):
        for x in loader:
            self.model(x).mean().backward()
            self.opt.step()
            self.opt.zero_grad()
