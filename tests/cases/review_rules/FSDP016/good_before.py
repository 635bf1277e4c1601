import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def names_first(model, policy):
    biases = [n for n, p in model.named_parameters() if "bias" in n]
    model = FSDP(model, auto_wrap_policy=policy)
    return model, biases


def original(model, policy):
    model = FSDP(model, auto_wrap_policy=policy, use_orig_params=True)
    return torch.optim.AdamW([p for n, p in model.named_parameters() if "bias" not in n])
