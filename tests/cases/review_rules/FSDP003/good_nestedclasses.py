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


def shard(net, mesh):
    units = [m for m in net.modules() if isinstance(m, (Expert, Layer))]
    for m in reversed(units):
        fully_shard(m, mesh=mesh)
    fully_shard(net, mesh=mesh)


def shard_backwards(net, mesh):
    for m in [m for m in net.modules() if isinstance(m, (Expert, Layer))][::-1]:
        fully_shard(m, mesh=mesh)
    fully_shard(net, mesh=mesh)


def shard_turned_round(net, mesh):
    units = [m for _, m in net.named_modules() if isinstance(m, (Expert, Layer))]
    units.reverse()
    for m in units:
        fully_shard(m, mesh=mesh)
    fully_shard(net, mesh=mesh)


def shard_layers_only(net, mesh, classes=(Layer,)):
    for m in [m for m in net.modules() if isinstance(m, classes)]:
        fully_shard(m, mesh=mesh)
    fully_shard(net, mesh=mesh)


def shard_inner_first(net, mesh):
    for cls in (Expert, Layer):
        for m in net.modules():
            if isinstance(m, cls):
                fully_shard(m, mesh=mesh)
    fully_shard(net, mesh=mesh)
