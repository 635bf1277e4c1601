import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin


def main(model, policy):
    accelerator = Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=1, auto_wrap_policy=policy))
    model = accelerator.prepare(model)
    optimizer = accelerator.prepare(torch.optim.AdamW(model.parameters()))
    return model, optimizer
