import torch
from torch.distributed.fsdp import fully_shard


class Encoder(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.stages = torch.nn.ModuleDict({str(i): torch.nn.Linear(4, 4) for i in range(n)})


def build():
    encoder = Encoder(4)
    fully_shard(encoder.stages)  # <- FSDP004
    fully_shard(encoder)
