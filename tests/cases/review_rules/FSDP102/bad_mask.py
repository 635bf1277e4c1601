import torch
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import set_model_state_dict
from torch.distributed.fsdp import fully_shard


class Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.proj = nn.Linear(8, 8)
        self.register_buffer("mask", torch.tril(torch.ones(n, n)), persistent=False)


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList(Attention(16) for _ in range(depth))


def main(state):
    with torch.device("meta"):
        net = Net(4)
    for layer in net.layers:
        fully_shard(layer)
    fully_shard(net)
    net.to_empty(device="cuda")  # <- FSDP102
    set_model_state_dict(net, state)
