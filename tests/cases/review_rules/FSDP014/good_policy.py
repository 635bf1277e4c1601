from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(model, reference, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    reference = FSDP(reference, auto_wrap_policy=policy)
    return model, reference
