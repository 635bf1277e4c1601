from peft import get_peft_model
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from zoo import Block


def build(model, lora):
    model = get_peft_model(model, lora)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}))  # <- FSDP015
