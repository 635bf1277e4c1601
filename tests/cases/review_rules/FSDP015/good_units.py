import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

def main(model, dev):
    model.requires_grad_(False)
    model.vision.requires_grad_(True)
    model.vision = FSDP(model.vision, device_id=dev)
    return FSDP(model, device_id=dev)
