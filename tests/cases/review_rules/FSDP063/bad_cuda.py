import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model, policy):
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.scaler = torch.cuda.amp.GradScaler()  # <- FSDP063

    def step(self, x):
        self.scaler.scale(self.model(x).sum()).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
