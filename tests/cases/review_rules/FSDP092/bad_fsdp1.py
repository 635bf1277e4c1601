import torch
import torch.utils.data as D
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class T:
    def __init__(self, net, data):
        self.net = FSDP(net)
        self.dl = D.DataLoader(data, 8, True)  # <- FSDP092
        self.opt = torch.optim.AdamW(self.net.parameters())
    def fit(self):
        for x in self.dl:
            self.net(x).mean().backward()
            self.opt.step()
            self.opt.zero_grad()
