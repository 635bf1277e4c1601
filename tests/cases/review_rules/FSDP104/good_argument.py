"""Every class can reset what it holds."""

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Gain(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(size, device=device))

    def reset_parameters(self):
        nn.init.ones_(self.gain)


class Net(nn.Module):
    def __init__(self, device="meta"):
        super().__init__()
        self.gain = Gain(10, device=device)
        self.lin = nn.Linear(10, 10, device=device)

    def reset_parameters(self):
        pass


def main(device):
    return FSDP(Net(device="meta"), device_id=device)
