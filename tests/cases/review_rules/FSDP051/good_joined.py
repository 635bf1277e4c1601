import torch.distributed.checkpoint as dcp


def save(state, path):
    future = dcp.async_save(state, checkpoint_id=path)
    future.result()
