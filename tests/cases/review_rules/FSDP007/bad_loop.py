import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def wrap(model, **kw):
    for name, child in model.named_children():
        child = FSDP(child, **kw)  # <- FSDP007
    return FSDP(model, **kw)
