import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

def groups(model):
    return [p for p in model.parameters() if p.ndim >= 2], [p for p in model.parameters() if p.ndim < 2]

def main(model, dev):
    a, b = groups(model)
    model = FSDP(model, device_id=dev, use_orig_params=True)
    return torch.optim.AdamW(a)
