import torch
from torch.distributed.fsdp import CPUOffload
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def train(model, policy, batches):
    model = FSDP(model, auto_wrap_policy=policy, cpu_offload=CPUOffload(offload_params=True))
    optimizer = torch.optim.AdamW(model.parameters())
    for group in batches:
        with model.no_sync():
            for x in group[:-1]:
                model(x).sum().backward()
        model(group[-1]).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
