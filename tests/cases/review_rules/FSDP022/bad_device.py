import os

import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Job:
    def __init__(self, model, num_nodes):
        self.rank = int(os.environ["RANK"])
        self.device = torch.device(f"cuda:{self.rank}")  # <- FSDP022
        self.model = FSDP(model.to(self.device), device_id=self.device)
