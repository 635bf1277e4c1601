import torch
from torch.distributed.fsdp import CPUOffload
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def train(model, policy, loader, accum):
    model = FSDP(model, auto_wrap_policy=policy, cpu_offload=CPUOffload(offload_params=True))  # <- FSDP085
    optimizer = torch.optim.AdamW(model.parameters())
    for step, x in enumerate(loader):
        model(x).sum().backward()
        if (step + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()
