from torch.distributed.fsdp import fully_shard
from ckpt import restore
def main(build, path, mesh):
    m = build()
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    restore(m, path)
