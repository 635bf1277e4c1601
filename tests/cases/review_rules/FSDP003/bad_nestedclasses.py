import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Expert(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        return self.down(self.up(x))


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.experts = nn.ModuleList([Expert(d) for _ in range(8)])

    def forward(self, x):
        return sum(expert(self.norm(x)) for expert in self.experts)


class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.layers = nn.ModuleList([Layer(d) for _ in range(4)])
        self.head = nn.Linear(d, 10)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Wrapper:
    def __init__(self, names=("Expert", "Layer")):
        self.names = set(names)

    def __call__(self, net: Net, mesh):
        for m in net.modules():
            if m.__class__.__name__ in self.names:
                fully_shard(m, mesh=mesh)  # <- FSDP003
        return fully_shard(net, mesh=mesh)
