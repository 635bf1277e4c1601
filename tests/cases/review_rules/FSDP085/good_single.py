import torch
from torch.distributed.fsdp import CPUOffload
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def train(model, policy, loader):
    model = FSDP(model, auto_wrap_policy=policy, cpu_offload=CPUOffload(offload_params=True))
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
