import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block, Adapter

def main(model, dev):
    model.requires_grad_(False)
    for p in model.head.parameters():
        p.requires_grad = True
    return FSDP(model, device_id=dev)  # <- FSDP015
