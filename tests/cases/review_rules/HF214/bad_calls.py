import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(model, policy):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy=policy))
    model = accelerator.prepare(model)
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer = accelerator.prepare(optimizer)  # <- HF214
    return model, optimizer
