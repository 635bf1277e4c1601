from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from zoo import Block


def reference(model):
    model.requires_grad_(False)
    for parameter in model.parameters():
        parameter.requires_grad = False
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}))
