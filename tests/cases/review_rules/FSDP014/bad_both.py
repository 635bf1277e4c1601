from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, policy):
    model.encoder = FSDP(model.encoder)
    return FSDP(model, auto_wrap_policy=policy)  # <- FSDP014
