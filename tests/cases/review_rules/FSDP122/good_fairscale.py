from fairscale.nn import FullyShardedDataParallel as FSDP


def wrap(model):
    return FSDP(model)
