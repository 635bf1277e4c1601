import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def build(model, policy):
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    matrices = [p for p in model.parameters() if p.ndim >= 2]  # <- FSDP017
    return torch.optim.AdamW(matrices)
