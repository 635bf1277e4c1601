import torch
from torch.distributed.fsdp import fully_shard
def weight_norms(params):
    return [p.norm().item() for p in params]  # <- FSDP072
def main(m, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    return weight_norms(m.parameters())
