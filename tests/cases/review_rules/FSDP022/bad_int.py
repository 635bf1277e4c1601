import os
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def rank():
    return int(os.environ["RANK"])
def main(m):
    r = rank()
    return FSDP(m, device_id=r)  # <- FSDP022
