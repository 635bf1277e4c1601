import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import set_model_state_dict, StateDictOptions
class L:
    def __init__(self, model):
        self.model = model
        self.opts = StateDictOptions(full_state_dict=True, cpu_offload=True)
    def load(self, path):
        full = None
        if dist.get_rank() == 0:
            full = torch.load(path, map_location="cpu")
        set_model_state_dict(self.model, full or {}, options=self.opts)  # <- FSDP045
