import os
import torch.distributed as dist
def metrics(t):
    r = int(os.getenv("RANK", "0"))
    if r in (0,):
        dist.all_reduce(t)  # <- FSDP040
    return t
