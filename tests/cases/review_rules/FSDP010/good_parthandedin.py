import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mix = nn.Linear(d, d)
        self.gate = nn.Linear(d, d)

    def forward(self, x):
        return self.mix(x) * self.gate(x).sigmoid()


class Model(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.blocks = nn.ModuleList([Block(d) for _ in range(4)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def shrink(parts, dtype=torch.bfloat16):
    for part in parts:
        part.gate = part.gate.to(dtype)
        part.mix = part.mix.to(dtype)


class Setup:
    def run(self, model: Model, mesh):
        shrink(model.blocks)
        for block in model.blocks:
            fully_shard(block, mesh=mesh)
        return fully_shard(model, mesh=mesh)


def keep_exact(model: Model, mesh):
    for block in model.blocks:
        block.gate.float()
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def apart(model: Model, mesh):
    for block in model.blocks:
        block.gate.to(torch.bfloat16)
        fully_shard(block.gate, mesh=mesh)
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)
