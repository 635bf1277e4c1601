import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def build(model, policy):
    matrices = [n for n, p in model.named_parameters() if p.ndim >= 2]
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    return model, [p for n, p in model.named_parameters() if n in matrices]
