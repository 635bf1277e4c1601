import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
def make_layers(n):
    return nn.ModuleList(nn.TransformerEncoderLayer(512, 8) for _ in range(n))
class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = make_layers(12)
    def forward(self, x):
        for l in self.layers:
            x = l(x)
        return x
def main():
    enc = Enc().cuda()
    stack = enc.layers
    fully_shard(stack)  # <- FSDP004
    fully_shard(enc)
