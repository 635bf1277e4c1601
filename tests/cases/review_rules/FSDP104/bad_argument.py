import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class RMSNorm(nn.Module):
    def __init__(self, d, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d, device=device))
class Net(nn.Module):
    def __init__(self, device="meta"):
        super().__init__()
        self.norm = RMSNorm(10, device=device)
        self.lin = nn.Linear(10, 10, device=device)
def main(dev):
    net = Net(device="meta")
    return FSDP(net, device_id=dev)  # <- FSDP104
