import torch
from torch.distributed.fsdp import fully_shard
def main(build, path, mesh):
    net = torch.compile(build())
    net.load_state_dict(torch.load(path, map_location="cpu"), strict=False)  # <- FSDP050
    for b in net.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(net, mesh=mesh)
