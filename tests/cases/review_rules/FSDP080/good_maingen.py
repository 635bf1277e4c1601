from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(build, x):
    m = build()
    inner = m
    m = FSDP(m)
    for p in inner.parameters():
        p.grad = None
    return m(x)
