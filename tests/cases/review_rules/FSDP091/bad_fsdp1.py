from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Result(object):
    def __init__(self, hidden):
        self.hidden = hidden


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        hidden = self.lin(x)
        result = Result(hidden)
        return result  # <- FSDP091


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(n))


def main():
    net = Net(2)
    for index, block in enumerate(net.blocks):
        net.blocks[index] = FSDP(block)
    return FSDP(net)
