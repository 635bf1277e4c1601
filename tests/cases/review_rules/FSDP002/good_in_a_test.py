import torch
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Small(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def test_one_unit_computes_what_the_plain_model_does():
    model = FSDP(Small(2), use_orig_params=True)
    model(torch.ones(2, 4)).sum().backward()


if __name__ == "__main__":
    test_one_unit_computes_what_the_plain_model_does()
