import torch.distributed as dist
import torch.distributed.checkpoint as dcp
def save(sd, path):
    return dcp.save(sd, checkpoint_id=path) if dist.get_rank() == 0 else None  # <- FSDP040
