from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(build, x, cfg):
    m = build()
    ref = m(x)
    if cfg.fsdp:
        m = FSDP(m)
    out = m(x)
    return ref, out
