import torch
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as Wrapped


class Scorer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.temperature = nn.Parameter(torch.tensor(1.0))  # <- FSDP006


def make(inner, policy):
    model = Scorer(inner)
    return Wrapped(model, auto_wrap_policy=policy)
