from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard


@dataclass
class Output:
    logits: torch.Tensor


class Pair(NamedTuple):
    first: torch.Tensor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, kind):
        if kind == "pair":
            return Pair(self.lin(x))
        if kind == "dict":
            return {"logits": self.lin(x)}
        return Output(self.lin(x))


def main():
    return fully_shard(Net())
