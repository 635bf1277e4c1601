import torch
from torch.distributed.fsdp import CPUOffload
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from models import Policy


def build(role):
    offload = None if role == "policy" else CPUOffload(offload_params=True)
    return FSDP(Policy(), cpu_offload=offload, use_orig_params=True)


class Trainer:
    def __init__(self):
        self.judge = FSDP(Policy(), cpu_offload=CPUOffload(offload_params=True), use_orig_params=True)
        self.policy = FSDP(Policy(), use_orig_params=True)
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=1e-6)

    def update(self, batches):
        for batch in batches:
            for part in batch.chunk(4):
                with torch.no_grad():
                    score = self.judge(part)
                loss = -(self.policy(part) * score).mean()
                loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
