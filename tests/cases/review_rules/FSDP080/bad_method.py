import torch.nn as nn
from torch.distributed import fsdp


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 4)

    def embed(self, x):
        return self.left(x)

    def forward(self, x, y):
        return self.embed(x) @ self.embed(y).T


def main(x):
    pair = Pair()
    fsdp.fully_shard(pair)
    return pair.embed(x)  # <- FSDP080
