import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def setup(model, policy, cfg):
    optimizer = torch.optim.AdamW(model.parameters())
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    return model, optimizer


def configurable(model, policy, cfg):
    optimizer = torch.optim.AdamW(model.parameters())
    return FSDP(model, auto_wrap_policy=policy, **cfg.fsdp), optimizer
