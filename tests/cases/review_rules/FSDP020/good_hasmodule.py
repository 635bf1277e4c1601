from torch.distributed.fsdp import fully_shard
def main(build, mesh):
    m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    raw = m.module if hasattr(m, "module") else m
    return raw
