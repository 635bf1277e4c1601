import torch
from torch.distributed.fsdp import fully_shard

from model import Net


def main(path):
    net = Net()
    own = net.state_dict()
    known = {}
    for name, tensor in torch.load(path, mmap=True, map_location="cpu").items():
        if name in own:
            known[name] = tensor
    net.load_state_dict(known, strict=False)  # <- FSDP050
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net)
