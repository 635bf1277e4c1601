import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from transformers import AutoModelForCausalLM

class T:
    def __init__(self, name, dev):
        self.model = AutoModelForCausalLM.from_pretrained(name)
        self.freeze()
        self.model = FSDP(self.model, device_id=dev)  # <- FSDP015
    def freeze(self):
        self.model.get_input_embeddings().requires_grad_(False)
