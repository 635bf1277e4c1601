import torch, torch.distributed as dist
from torch.distributed.checkpoint.state_dict import set_model_state_dict, StateDictOptions
def load(model, path):
    sd = torch.load(path, map_location="cpu") if dist.get_rank() == 0 else {}
    set_model_state_dict(model, sd, options=StateDictOptions(full_state_dict=True))  # <- FSDP045
