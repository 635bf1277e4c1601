import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block

class LoRALinear(nn.Linear):
    def __init__(self, *a, r=8):
        super().__init__(*a)
        self.weight.requires_grad = False
        self.lora_a = nn.Parameter(self.weight.new_zeros(r, self.in_features))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = LoRALinear(10, 10)

def main(dev):
    return FSDP(Net(), device_id=dev)  # <- FSDP015
