from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from model import Block
def main(model):
    for i, b in enumerate(model.blocks):
        model.blocks[i] = FSDP(b)
    kw = {"auto_wrap_policy": ModuleWrapPolicy({Block})}
    return FSDP(model, **kw)  # <- FSDP014
