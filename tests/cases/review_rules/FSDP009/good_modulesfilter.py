import torch
from torch.distributed.fsdp import fully_shard
from model import Block, Net
def main(cfg, mesh):
    net = Net(cfg)
    blocks = [m for m in net.modules() if isinstance(m, Block)]
    for b in blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(net, mesh=mesh)
    return torch.optim.AdamW(net.parameters())
