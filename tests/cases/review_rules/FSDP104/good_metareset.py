import torch
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.empty(8, 8))
    def reset_parameters(self):
        nn.init.normal_(self.w)
    def forward(self, x):
        return x @ self.w
def main():
    with torch.device("meta"):
        n = N()
    return FSDP(n, device_id=torch.cuda.current_device())
