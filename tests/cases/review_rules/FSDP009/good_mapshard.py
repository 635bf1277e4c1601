import torch
from torch.distributed.fsdp import fully_shard
def main(net, mesh):
    list(map(lambda b: fully_shard(b, mesh=mesh), net.blocks))
    fully_shard(net, mesh=mesh)
    return torch.optim.AdamW(net.parameters())
