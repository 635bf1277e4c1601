import torch.nn as nn
from torch.distributed.fsdp import fully_shard
class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)
    def forward(self, x):
        return self.q(x)
class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attn = Attn(d)
    def forward(self, x):
        return self.attn(x)
class OldLayer(nn.Module):
    def forward(self, x):
        return x
class Net(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.layers = nn.ModuleList([Layer(d) for _ in range(n)])
    def forward(self, x):
        for l in self.layers:
            x = l(x)
        return x
def main(mesh):
    net = Net(4, 64)
    for m in net.modules():
        if isinstance(m, OldLayer):
            fully_shard(m, mesh=mesh)  # <- FSDP013
    fully_shard(net, mesh=mesh)
