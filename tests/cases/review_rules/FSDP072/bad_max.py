import torch
from torch.distributed.fsdp import fully_shard
def stats(m):
    out = {}
    for n, p in m.named_parameters():
        out[n] = {"max": p.detach().abs().max().item()}  # <- FSDP072
    return out
def main(m, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    return stats(m)
