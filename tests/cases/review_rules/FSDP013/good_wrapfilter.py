import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l = nn.Linear(d, d)
    def forward(self, x):
        return self.l(x)
class Net(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layers = nn.ModuleList([Layer(d) for _ in range(4)])
    def forward(self, x):
        for l in self.layers:
            x = l(x)
        return x
def main(mesh):
    net = Net(8)
    for m in net.modules():
        if isinstance(m, (Layer, nn.Embedding)):
            fully_shard(m, mesh=mesh)
    for m in net.modules():
        if type(m).__name__ == "Dropout":
            m.p = 0.0
    fully_shard(net, mesh=mesh)
