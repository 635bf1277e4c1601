import torch
from torch.distributed.fsdp import fully_shard
def main(m, mesh):
    params = m.parameters()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    return torch.optim.AdamW(params)
