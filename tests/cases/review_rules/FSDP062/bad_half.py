import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecision
class Cfg:
    dtype = torch.half
class T:
    def __init__(self, m, cfg=Cfg):
        mp = MixedPrecision(param_dtype=cfg.dtype, reduce_dtype=cfg.dtype, buffer_dtype=cfg.dtype)  # <- FSDP062
        self.m = FSDP(m, mixed_precision=mp)
        self.opt = torch.optim.AdamW(self.m.parameters())
    def step(self, x):
        loss = self.m(x).mean()
        loss.backward()
        self.opt.step()
        self.opt.zero_grad()
