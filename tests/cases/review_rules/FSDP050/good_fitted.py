import torch
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import distribute_tensor

from model import Net


def main(path):
    with torch.device("meta"):
        net = Net()
    for block in net.blocks:
        fully_shard(block)
    fully_shard(net)
    whole = torch.load(path, mmap=True, map_location="cpu")
    own = net.state_dict()
    parts = {}
    for name, tensor in whole.items():
        like = own[name]
        parts[name] = distribute_tensor(tensor, like.device_mesh, like.placements)
    net.load_state_dict(parts, strict=False, assign=True)
