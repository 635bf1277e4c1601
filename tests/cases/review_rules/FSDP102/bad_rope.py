import torch
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.checkpoint.state_dict import set_model_state_dict, StateDictOptions
class Causal(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(n, n)), persistent=False)
        self.q = nn.Linear(8, 8)
    def forward(self, x):
        return self.q(x) * self.mask
def build(n):
    with torch.device("meta"):
        return Causal(n)
def main(sd, mesh):
    m = build(16)
    fully_shard(m, mesh=mesh)
    m.to_empty(device="cuda")  # <- FSDP102
    set_model_state_dict(m, sd, options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True))
    return m
