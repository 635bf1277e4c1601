from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
import torch.nn as nn
from m import Block

class Net(nn.Module):
    def __init__(self, n, dev):
        super().__init__()
        self.emb = nn.Embedding(10, 10)
        self.blocks = nn.ModuleList([FSDP(Block(), device_id=dev) for _ in range(n)])

def main(dev):
    return FSDP(Net(4, dev), auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP014
