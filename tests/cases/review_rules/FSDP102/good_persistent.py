import torch
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import set_model_state_dict
from torch.distributed.fsdp import fully_shard


class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.register_buffer("mean", torch.zeros(dim))


def main(state):
    with torch.device("meta"):
        norm = Norm(8)
    fully_shard(norm)
    norm.to_empty(device="cuda")
    set_model_state_dict(norm, state)
