import torch.distributed.checkpoint as dcp


def save(state, writer):
    dcp.save_state_dict(state, storage_writer=writer)  # <- FSDP047
