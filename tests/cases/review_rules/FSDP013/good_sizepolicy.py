import functools
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
class Big(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8192, 8192)
        self.b = nn.Linear(8192, 8192)
    def forward(self, x):
        return self.b(self.a(x))
def main():
    return FSDP(Big().cuda(), auto_wrap_policy=functools.partial(size_based_auto_wrap_policy, min_num_params=20_000_000))
