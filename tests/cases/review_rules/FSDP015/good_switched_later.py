import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

class T:
    def __init__(self, model, ref, dev, cfg):
        for n, p in model.named_parameters():
            p.requires_grad = True
        ref.requires_grad_(False)
        self.model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)
        self.ref = FSDP(ref, device_id=dev)
        for p in self.model.head.parameters():
            p.requires_grad = cfg.train_head
