import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler


class Run:
    def __init__(self, model, policy):
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.scaler = ShardedGradScaler()

    def clip(self):
        self.model.clip_grad_norm_(1.0)  # <- FSDP069

    def step(self, x):
        self.scaler.scale(self.model(x).sum()).backward()
        self.clip()
        self.scaler.unscale_(self.optimizer)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
