import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class Engine:
    def __init__(self, net, cfg):
        self.net = FSDP(net, use_orig_params=cfg.orig)
        self.opt = torch.optim.AdamW(self.net.parameters())
        self.clip = torch.nn.utils.clip_grad_norm_
    def step(self, loss):
        loss.backward()
        self.clip(self.net.parameters(), 1.0)  # <- FSDP067
        self.opt.step()
        self.opt.zero_grad()
