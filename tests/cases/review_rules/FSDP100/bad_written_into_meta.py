import torch
from torch import nn
from torch.distributed.fsdp import fully_shard


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix = nn.Conv1d(width, width, 3, padding=1)
        self.norm = nn.GroupNorm(4, width)

    def forward(self, x):
        return self.norm(self.mix(x)).relu() + x


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.mixers = nn.ModuleList([Mixer(width) for _ in range(depth)])
        self.head = nn.Linear(width, 1)

    @torch.no_grad()
    def init_weights(self):
        for name, weight in self.named_parameters():
            if name.endswith("bias"):
                weight.zero_()
            else:
                nn.init.normal_(weight, std=0.02)

    def forward(self, x):
        for mixer in self.mixers:
            x = mixer(x)
        return self.head(x.mean(-1))


def by_layer(width, batch):
    with torch.device("meta"):  # <- FSDP100
        tower = Tower(width, 8)
    for mixer in tower.mixers:
        fully_shard(mixer)
    fully_shard(tower)
    for part in tower.modules():
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()
    return tower(batch)


def by_itself(width, batch):
    with torch.device("meta"):  # <- FSDP100
        tower = Tower(width, 8)
    for mixer in tower.mixers:
        fully_shard(mixer)
    fully_shard(tower)
    tower.init_weights()
    return tower(batch)
