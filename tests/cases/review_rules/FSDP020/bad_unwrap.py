import torch
from torch.distributed.fsdp import fully_shard
def unwrap(m):
    return m.module  # <- FSDP020
def main(build, mesh):
    m = build()
    for b in m.layers:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    cfg = unwrap(m).config
    return cfg
