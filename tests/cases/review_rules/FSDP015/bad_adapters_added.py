import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block, Adapter

def main(model, dev):
    for p in model.parameters():
        p.requires_grad = False
    for blk in model.blocks:
        blk.adapter = Adapter(blk.dim)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP015
