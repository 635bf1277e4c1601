import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict


def load(model, path):
    state = {}
    if dist.get_rank() == 0:
        state = torch.load(path, mmap=True)
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True))  # <- FSDP045
