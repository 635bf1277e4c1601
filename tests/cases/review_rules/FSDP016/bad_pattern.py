import torch, fnmatch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def main(model, dev, cfg):
    model = FSDP(model, device_id=dev)
    for name, p in model.named_parameters():
        if fnmatch.fnmatch(name, "*.lora_*"):  # <- FSDP016
            p.requires_grad = True
    return model
