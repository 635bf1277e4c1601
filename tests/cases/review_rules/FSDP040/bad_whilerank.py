import torch.distributed as dist
import torch.distributed.checkpoint as dcp
def loop(state, steps):
    rank = dist.get_rank()
    for s in range(steps):
        if s % 10 == 0:
            if rank != 0:
                continue
            dcp.save(state, checkpoint_id=f"c/{s}")  # <- FSDP040
