from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def wrap(m):
    base = dict(ignored_modules=[m.frozen])
    return FSDP(m, ignored_states=list(m.frozen.parameters()), **base)  # <- FSDP031
