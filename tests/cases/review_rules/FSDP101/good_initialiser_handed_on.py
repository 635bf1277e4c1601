import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Probe(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, width)

    def fill(self):
        nn.init.orthogonal_(self.out.weight)

    def forward(self, x):
        return self.out(x)


def seeded(module):
    nn.init.normal_(module.out.weight, std=0.02)


STARTS = {"orthogonal": Probe.fill, "normal": seeded}


def by_table(start, width, batch):
    with torch.device("meta"):
        probe = Probe(width)
    fully_shard(probe)
    probe.to_empty(device="cuda")
    STARTS[start](probe)
    return probe(batch)


class Built:
    def __init__(self, width):
        with torch.device("meta"):
            self.probe = Probe(width)
        fully_shard(self.probe)
        self.probe.to_empty(device="cuda")
        self.optimizer = torch.optim.AdamW(self.probe.parameters())

    def from_scratch(self):
        nn.init.eye_(self.probe.out.weight)

    def step(self, batch):
        self.probe(batch).sum().backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
