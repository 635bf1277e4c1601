import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp


def save(state, root, step):
    started = time.time()
    dcp.save(state, checkpoint_id=f"{root}/{step}")
    torch.save({"took": time.time() - started}, f"{root}/{step}/rank{dist.get_rank()}.pt")
