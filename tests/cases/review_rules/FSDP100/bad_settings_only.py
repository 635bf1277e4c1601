import torch
from torch.distributed.fsdp import fully_shard

from model import Net


def main(batch, other):
    with torch.device("meta"):  # <- FSDP100
        net = Net()
    net.step = 0
    net.name = "student"
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net)
    return net(batch)
