import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class T:
    def __init__(self, net, path):
        self.net = FSDP(net)
        self.opt = torch.optim.AdamW(self.net.parameters())
        blob = torch.load(path)
        self.opt.load_state_dict(blob["optimizer"])  # <- FSDP046
