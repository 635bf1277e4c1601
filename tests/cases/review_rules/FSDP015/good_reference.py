import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

def main(ref, dev):
    for p in ref.parameters():
        p.requires_grad = False
    ref.eval()
    return FSDP(ref, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)
