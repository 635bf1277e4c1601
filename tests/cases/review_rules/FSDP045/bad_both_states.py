import torch
from torch.distributed.checkpoint.state_dict import set_state_dict, StateDictOptions

def main(model, opt, path, rank):
    ck = torch.load(path, map_location="cpu") if rank == 0 else {"model": {}, "optim": {}}
    set_state_dict(model, opt, model_state_dict=ck["model"], optim_state_dict=ck["optim"],
                   options=StateDictOptions(broadcast_from_rank0=True))  # <- FSDP045
