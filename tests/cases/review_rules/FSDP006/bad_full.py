import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        t = torch.ones([]) * 0.07
        self.register_parameter("temperature", nn.Parameter(t))  # <- FSDP006
        self.proj = nn.Linear(16, 16)
    def forward(self, x):
        return self.proj(x) / self.temperature
fully_shard(Head())
