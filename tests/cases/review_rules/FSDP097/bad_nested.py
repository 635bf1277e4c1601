import torch
from torch.distributed.fsdp import fully_shard
class OOMGuard:
    def __init__(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m = fully_shard(m, mesh=mesh)
    def forward_backward(self, x):
        try:
            loss = self.m(x).mean()
            loss.backward()
        except torch.OutOfMemoryError:  # <- FSDP097
            return None
        return loss
    def run(self, loader, opt):
        for x in loader:
            if self.forward_backward(x) is None:
                continue
            opt.step()
            opt.zero_grad()
