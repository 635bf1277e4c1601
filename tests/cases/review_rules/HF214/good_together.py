import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(model, loader, policy):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy=policy))
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer = accelerator.prepare(model, optimizer)
    loader = accelerator.prepare(loader)
    return model, optimizer, loader
