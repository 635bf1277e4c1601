import functools, torch
from torch.distributed.fsdp import fully_shard
make_opt = functools.partial(torch.optim.AdamW, lr=3e-4, fused=True)
def shard_all(m):
    list(map(fully_shard, m.blocks))
    fully_shard(m)
def run(build):
    m = build()
    o = make_opt(m.parameters())  # <- FSDP001
    shard_all(m)
    return m, o
