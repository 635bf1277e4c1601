import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard


class Rounded(nn.Linear):
    @classmethod
    def of(cls, linear):
        with torch.device("meta"):
            rounded = cls(linear.in_features, linear.out_features, bias=False)
        rounded.weight = linear.weight
        rounded.bias = linear.bias
        return rounded

    def forward(self, x):
        return super().forward(x.round())


def main(batch):
    layer = Rounded.of(nn.Linear(16, 16, device="cuda"))
    fully_shard(layer)
    return layer(batch)
