import torch
from torch.distributed import fsdp

HALF = torch.float16


def policy():
    return fsdp.MixedPrecision(HALF, buffer_dtype=HALF)  # <- FSDP060
