import torch
from torch.distributed.checkpoint.state_dict import set_model_state_dict, StateDictOptions
import torch.distributed as dist

def main(model, path):
    rank0 = dist.get_rank() == 0
    sd = torch.load(path) if rank0 else {}
    opts = StateDictOptions(full_state_dict=True)
    opts.broadcast_from_rank0 = True
    set_model_state_dict(model, sd, options=opts)
