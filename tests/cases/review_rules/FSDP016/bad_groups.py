import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def build(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    decay = [p for n, p in model.named_parameters() if "bias" not in n]  # <- FSDP016
    return torch.optim.AdamW(decay)
