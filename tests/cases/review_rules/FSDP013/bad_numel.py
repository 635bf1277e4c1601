import functools
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
MIN = int(1e8)
class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(256, 10)
    def forward(self, x):
        return self.fc2(self.fc1(x))
def main():
    policy = functools.partial(size_based_auto_wrap_policy, min_num_params=MIN)
    return FSDP(Tiny().cuda(), auto_wrap_policy=policy)  # <- FSDP013
