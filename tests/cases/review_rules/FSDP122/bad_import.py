from torch.distributed.fsdp import FullyShardedDataParallel as FSDP  # <- FSDP122


def wrap(model, policy):
    return FSDP(model, auto_wrap_policy=policy)
