import torch, random
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(4)])
    def forward(self, x):
        for l in self.layers:
            y = l(x)
            if self.training and random.random() < 0.1:
                y = x + 0 * y
            x = y
        return x
def main(mesh):
    net = Net()
    for l in net.layers:
        fully_shard(l, mesh=mesh)
    fully_shard(net, mesh=mesh)
