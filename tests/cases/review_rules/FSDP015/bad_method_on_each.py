import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

def freeze(model, names):
    for n, p in model.named_parameters():
        if any(s in n for s in names):
            p.requires_grad_(False)

def main(model, dev):
    freeze(model, ("ln", "bias"))
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP015
