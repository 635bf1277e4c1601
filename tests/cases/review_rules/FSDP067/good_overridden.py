import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Trainer:
    def __init__(self, policy, limit):
        self.policy, self.limit = policy, limit
        self.optimizer = None

    def step(self, batch):
        self.policy(batch).mean().backward()
        self.clip()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def clip(self):
        return torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.limit)


class Sharded(Trainer):
    def __init__(self, policy, limit, wrap):
        super().__init__(policy, limit)
        self.policy = FSDP(policy, auto_wrap_policy=wrap, device_id=torch.cuda.current_device(), use_orig_params=True)
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-5)

    def clip(self):
        return self.policy.clip_grad_norm_(self.limit)
