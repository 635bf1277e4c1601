import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def clip(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    return model.clip_grad_norm_(1.0)


def either(model, args, policy):
    if args.fsdp:
        model = FSDP(model, auto_wrap_policy=policy)
    if args.fsdp:
        model.clip_grad_norm_(1.0)
    else:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
