import os
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
IS_MAIN = os.environ.get("RANK", "0") == "0"
def final(model, path):
    if not IS_MAIN:
        return
    torch.save(FSDP.full_optim_state_dict(model, None), path)  # <- FSDP040
