import torch
from torch.distributed.fsdp import fully_shard
from model import GPT
def main(cfg, mesh):
    net = GPT(cfg)
    params = list(net.parameters())  # <- FSDP001
    groups = {"params": params, "lr": cfg.lr}
    for blk in net.blocks:
        fully_shard(blk, mesh=mesh)
    fully_shard(net, mesh=mesh)
    opt = torch.optim.AdamW([groups])
    return net, opt
