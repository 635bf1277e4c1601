import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard


def clip(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    if isinstance(model, FSDP):
        return model.clip_grad_norm_(1.0)
    return torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def fsdp2(model):
    fully_shard(model)
    return torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
