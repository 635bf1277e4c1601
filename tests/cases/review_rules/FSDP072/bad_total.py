import torch
from torch.distributed.fsdp import fully_shard
def total_norm(model):
    sq = 0.0
    for p in model.parameters():
        if p.grad is not None:
            sq += p.grad.norm().item() ** 2  # <- FSDP072
    return sq ** 0.5
def main(m, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    return total_norm(m)
