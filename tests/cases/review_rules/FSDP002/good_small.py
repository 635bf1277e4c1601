import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 32)
        self.down = nn.Linear(32, 8)


def probe():
    return fully_shard(Probe())


def vision_tower(tower):
    return fully_shard(tower)
