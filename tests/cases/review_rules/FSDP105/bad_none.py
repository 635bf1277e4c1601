import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from dataclasses import dataclass
from model import GPT

@dataclass
class C:
    sync: bool = True

def main(rank):
    c = C()
    torch.cuda.set_device(rank)
    model = GPT(10)
    model.load_state_dict(torch.load("x.pt", map_location="cpu"))
    model = FSDP(
        model,
        sync_module_states=c.sync,  # <- FSDP105
        device_id=None,
    )
    return model
