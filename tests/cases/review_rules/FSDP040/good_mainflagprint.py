import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import get_model_state_dict, StateDictOptions
import torch
class Saver:
    def __init__(self):
        self.is_main = dist.get_rank() == 0
    def save(self, model, path):
        sd = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
        if not self.is_main:
            return
        torch.save(sd, path)
