from torch.nn.parallel import DistributedDataParallel as DDP
from torch.distributed.fsdp import fully_shard
def unwrap(m):
    return m.module if isinstance(m, DDP) else m
def main(build, mesh, cfg):
    m = build()
    if cfg.fsdp:
        for b in m.blocks:
            fully_shard(b, mesh=mesh)
        fully_shard(m, mesh=mesh)
    else:
        m = DDP(m)
    return unwrap(m).config
