import uuid

import torch.distributed.checkpoint as dcp


def save(state, root):
    folder = root / uuid.uuid4().hex  # <- FSDP048
    dcp.save(state, checkpoint_id=folder)
