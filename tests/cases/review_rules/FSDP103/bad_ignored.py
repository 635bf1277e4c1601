import os

import torch
from torch.distributed import fsdp
from zoo import build


class Run:
    def __init__(self, seed):
        self.rank = int(os.environ["RANK"])
        self.seed(seed)
        self.net = build()
        fsdp.fully_shard(self.net, ignored_params={self.net.scale})

    def seed(self, seed):
        torch.manual_seed(seed + self.rank)  # <- FSDP103
