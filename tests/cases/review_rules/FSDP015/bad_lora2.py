import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def freeze(backbone):
    for p in backbone.parameters():
        p.requires_grad = False
def main(model):
    freeze(model.backbone)
    return FSDP(model, device_id=0)  # <- FSDP015
