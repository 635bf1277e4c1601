import torch
from torch.distributed.fsdp import fully_shard
def main(m, mesh):
    frozen = [p for p in m.teacher.parameters()]
    for p in frozen:
        p.requires_grad_(False)
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    return torch.optim.AdamW(p for p in m.parameters() if p.requires_grad)
