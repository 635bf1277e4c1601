import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from model import Block
def main(build, cfg):
    model = build(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)  # <- FSDP001
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, s / 100))
    if torch.cuda.device_count() > 1:
        model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}))
    return model, optimizer, scheduler
