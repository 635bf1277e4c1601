from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, wrap, enable_wrap
import torch.nn as nn
from m import Block

def main(model, dev):
    with enable_wrap(wrapper_cls=FSDP, device_id=dev):
        model.head = wrap(model.head)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP014
