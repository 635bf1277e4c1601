from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def manual(model):
    model.encoder = FSDP(model.encoder)
    return FSDP(model)


def nothing(model):
    model.encoder = FSDP(model.encoder)
    return FSDP(model, auto_wrap_policy=None)
