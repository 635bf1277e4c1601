import torch
from torch.distributed.fsdp import fully_shard


def train(model, optimizer, loader, epochs):
    fully_shard(model)
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        val = loss.item()
        if val > 3.0:  # <- FSDP086
            break
