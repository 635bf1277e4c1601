import torch
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import set_model_state_dict
from torch.distributed.fsdp import fully_shard


class Rope(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.register_buffer("inv_freq", self.angles(), persistent=False)

    def angles(self):
        return torch.arange(self.dim)

    def init_buffers(self):
        self.inv_freq = self.angles()


def main(state):
    with torch.device("meta"):
        rope = Rope(8)
    fully_shard(rope)
    rope.to_empty(device="cuda")
    set_model_state_dict(rope, state)
    rope.init_buffers()
