import copy as cp
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class Ema:
    def __init__(self, m):
        self.m = cp.deepcopy(m)  # <- FSDP011
def main(build):
    model = FSDP(build(), use_orig_params=True)
    return model, Ema(model)
