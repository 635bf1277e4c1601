import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block, Adapter

def main(model, dev):
    for mod in model.modules():
        if isinstance(mod, nn.LayerNorm):
            mod.requires_grad_(False)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP015
