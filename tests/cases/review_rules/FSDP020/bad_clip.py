import torch
from torch.distributed.fsdp import fully_shard


class Loop:
    def __init__(self, net):
        self.net = fully_shard(net)
        self.opt = torch.optim.AdamW(self.net.parameters())

    def step(self, x):
        self.net(x).sum().backward()
        self.net.clip_grad_norm_(1.0)  # <- FSDP020
        self.opt.step()
        self.opt.zero_grad()
