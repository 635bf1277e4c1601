import torch, loralib as lora
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from m import Block
def main(model, cfg, dev):
    lora.mark_only_lora_as_trainable(model)
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=dev)  # <- FSDP015
