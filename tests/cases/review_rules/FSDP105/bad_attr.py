import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM
class T:
    def __init__(self, name, policy):
        model = AutoModelForCausalLM.from_pretrained(name)
        kw = {"auto_wrap_policy": policy}
        kw.update(sync_module_states=True)
        self.model = FSDP(model, **kw)  # <- FSDP105
