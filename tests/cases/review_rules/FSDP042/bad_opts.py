import torch
from torch.distributed.checkpoint.state_dict import get_model_state_dict, StateDictOptions
OPTS = {"full_state_dict": True}
def full(model):
    return get_model_state_dict(model, options=StateDictOptions(**OPTS))  # <- FSDP042
