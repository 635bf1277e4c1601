import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import torch.nn as nn

class Scale(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d))

class Net(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)
        self.scale = Scale(d)

def main(dev):
    with torch.device("meta"):
        net = Net(10)
    kw = dict(device_id=dev, use_orig_params=True)
    return FSDP(net, **kw)  # <- FSDP104
