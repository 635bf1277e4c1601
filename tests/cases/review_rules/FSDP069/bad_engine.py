import torch
from torch.distributed.fsdp import fully_shard
class Engine:
    def __init__(self, m, mesh):
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        self.m = fully_shard(m, mesh=mesh)
        self.opt = torch.optim.AdamW(self.m.parameters())
        self.scaler = torch.amp.GradScaler("cuda")
    def backward(self, loss):
        self.scaler.scale(loss).backward()
    def clip(self):
        torch.nn.utils.clip_grad_norm_(self.m.parameters(), 1.0)  # <- FSDP069
    def step(self, x):
        self.backward(self.m(x).mean())
        self.clip()
        self.scaler.step(self.opt)
        self.scaler.update()
        self.opt.zero_grad()
