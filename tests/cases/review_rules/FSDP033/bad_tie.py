from torch.distributed.fsdp import fully_shard
def tie(m):
    m.head.weight = m.embed.weight  # <- FSDP033
def main(build, mesh):
    m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    tie(m)
