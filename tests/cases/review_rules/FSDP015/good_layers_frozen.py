import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

def main(model, dev):
    for layer in model.layers[:6]:
        layer.requires_grad_(False)
    for layer in model.blocks[:6]:
        for p in layer.parameters():
            p.requires_grad = False
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)
