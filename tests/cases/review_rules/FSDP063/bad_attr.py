import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class T:
    def __init__(self, m):
        self.model = FSDP(m)
        self.scaler = self.make_scaler()
        self.opt = torch.optim.AdamW(self.model.parameters())
    def make_scaler(self):
        return torch.cuda.amp.GradScaler(enabled=True)  # <- FSDP063
    def step(self, x):
        self.scaler.scale(self.model(x).mean()).backward()
        self.scaler.step(self.opt)
        self.scaler.update()
