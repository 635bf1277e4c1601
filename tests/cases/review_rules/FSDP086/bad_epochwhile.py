import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def train_epoch(model, optimizer, loader):
    total = 0.0
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.detach()
    return (total / len(loader)).item()


def main(model, policy, optimizer, loader, epochs):
    model = FSDP(model, auto_wrap_policy=policy)
    stop = False
    epoch = 0
    while not stop:
        mean = train_epoch(model, optimizer, loader)
        if mean < 0.1:
            stop = True
        if stop or epoch > epochs:  # <- FSDP086
            break
        epoch += 1
