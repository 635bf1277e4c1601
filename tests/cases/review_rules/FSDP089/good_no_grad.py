import torch
from torch.distributed.fsdp import fully_shard


def main(model, check, loader, optimizer):
    fully_shard(model)
    with torch.no_grad():
        model(check)
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.inference_mode()
def serve(model, x):
    fully_shard(model)
    return model(x)
