import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

def bitfit(model):
    for name, p in model.named_parameters():
        p.requires_grad = name.endswith(".bias")
    return model

def main(model, dev):
    common = dict(auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)
    return FSDP(bitfit(model), **common)  # <- FSDP015
