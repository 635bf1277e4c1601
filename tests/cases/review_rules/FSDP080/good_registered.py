import torch.nn as nn
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)

    def embed(self, x):
        return self.left(x)

    def describe(self):
        return "pair"

    def forward(self, x, y):
        return self.embed(x) @ self.embed(y).T


def main(x, y):
    pair = Pair()
    fully_shard(pair)
    register_fsdp_forward_method(pair, "embed")
    pair.embed(x)
    pair.describe()
    return pair(x, y)
