import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def split(params):
    mats = [p for p in params if p.ndim >= 2]  # <- FSDP017
    vecs = [p for p in params if p.ndim < 2]
    return mats, vecs
def main(model):
    fsdp = FSDP(model, use_orig_params=True)
    mats, vecs = split(list(fsdp.parameters()))
    return torch.optim.AdamW([{"params": mats}, {"params": vecs, "weight_decay": 0}])
