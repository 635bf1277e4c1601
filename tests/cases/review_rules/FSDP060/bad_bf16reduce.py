import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecision
DT = torch.bfloat16
MP = MixedPrecision(DT)  # <- FSDP060
def main(m):
    return FSDP(m, mixed_precision=MP)
