import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Output:
    def __init__(self, logits):
        self.logits = logits


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return Output(self.lin(x))  # <- FSDP091


def main():
    return fully_shard(Net())
