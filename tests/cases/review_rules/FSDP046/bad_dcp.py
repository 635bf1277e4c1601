import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net):
        self.net = fully_shard(net)
        self.opt = torch.optim.AdamW(self.net.parameters())

    def state(self):
        return {"model": get_model_state_dict(self.net), "optim": self.opt.state_dict()}  # <- FSDP046

    def resume(self, path):
        dcp.load(self.state(), checkpoint_id=path)
