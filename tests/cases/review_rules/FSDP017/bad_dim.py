import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def groups(m):
    out = {"decay": [], "rest": []}
    for _, p in m.named_parameters():
        if p.dim() < 2:  # <- FSDP017
            out["rest"].append(p)
        else:
            out["decay"].append(p)
    return out


def build(model, policy):
    wrapped = FSDP(model, use_orig_params=True, auto_wrap_policy=policy)
    return torch.optim.AdamW(groups(wrapped)["decay"])
