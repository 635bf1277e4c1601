import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones([]) * 0.5)  # <- FSDP006
        self.proj = nn.Linear(4, 4)


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gates = nn.ModuleList(Gate() for _ in range(n))


def shard(net: Net):
    fully_shard(net)
