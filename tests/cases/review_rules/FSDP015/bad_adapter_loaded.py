import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from peft import LoraConfig, PeftModel, inject_adapter_in_model
from m import Block
def main(model, cfg, dev):
    model = PeftModel.from_pretrained(model, cfg.adapter, is_trainable=True)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP015
