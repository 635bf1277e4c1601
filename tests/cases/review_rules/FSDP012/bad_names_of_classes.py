from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
import torch.nn as nn

class Block(nn.Module):
    pass

def main(model, dev):
    names = [c.__name__ for c in (Block,)]
    policy = ModuleWrapPolicy(set(names))  # <- FSDP012
    return FSDP(model, auto_wrap_policy=policy, device_id=dev)
