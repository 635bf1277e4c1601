import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from model import Block
def freeze_except(model, key):
    for n, p in model.named_parameters():
        p.requires_grad = key in n
def main(model):
    freeze_except(model, "adapter")
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), use_orig_params=False)  # <- FSDP015
