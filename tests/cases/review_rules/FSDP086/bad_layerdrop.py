import torch, random
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])
    def forward(self, x):
        for l in self.layers:
            if self.training and random.random() < 0.1:  # <- FSDP086
                continue
            x = l(x)
        return x
def main(mesh):
    net = Net()
    for l in net.layers:
        fully_shard(l, mesh=mesh)
    fully_shard(net, mesh=mesh)
