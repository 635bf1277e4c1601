import torch
import torch.distributed.checkpoint as dcp
from lightning.pytorch.utilities import rank_zero_only


@rank_zero_only
def save(state, path):
    dcp.save(state, checkpoint_id=path)  # <- FSDP040
