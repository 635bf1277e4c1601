import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
import timm

class T:
    def __init__(self, args):
        self.device = args.device
        self.model = timm.create_model(args.arch, pretrained=True)
        self.place()
        self.model = FSDP(self.model, sync_module_states=True)
    def place(self):
        self.model.to(self.device)
