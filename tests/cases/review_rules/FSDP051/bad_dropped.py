import torch.distributed.checkpoint as dcp


def save(state, path):
    dcp.async_save(state, checkpoint_id=path)  # <- FSDP051
