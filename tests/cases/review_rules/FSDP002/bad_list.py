import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(depth))


def main(mesh):
    net = Net(32)
    fully_shard(net, mesh=mesh)  # <- FSDP002
