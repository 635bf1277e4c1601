import torch
import torch.nn.utils as U
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class T:
    def __init__(self, m):
        self.m = FSDP(m, use_orig_params=True)
        self.params = list(self.m.parameters())
        self.opt = torch.optim.AdamW(self.params)
    def step(self):
        U.clip_grad_norm_(self.params, max_norm=1.0)  # <- FSDP067
        self.opt.step()
