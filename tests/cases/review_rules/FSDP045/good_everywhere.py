import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict


def load(model, path, options):
    state = torch.load(path, mmap=True)
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True))
    set_model_state_dict(model, {} if path is None else state, options=options)
