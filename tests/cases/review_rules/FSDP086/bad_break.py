import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def train(model, policy, loader, optimizer):
    model = FSDP(model, auto_wrap_policy=policy)
    for x in loader:
        loss = model(x).mean()
        if loss.item() > 1e4:  # <- FSDP086
            break
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
