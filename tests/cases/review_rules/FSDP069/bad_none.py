import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
class T:
    def __init__(self, m):
        self.m = FSDP(m)
        self.opt = torch.optim.AdamW(self.m.parameters())
        self.scaler = ShardedGradScaler()
    def step(self, x):
        self.scaler.scale(self.m(x).mean()).backward()
        self.m.clip_grad_norm_(1.0)  # <- FSDP069
        self.scaler.step(self.opt)
        self.scaler.update()
        self.opt.zero_grad()
