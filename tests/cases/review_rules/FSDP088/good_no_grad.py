import torch
from torch.distributed.fsdp import fully_shard


@torch.no_grad()
def evaluate(model, loader):
    return [model(x) for x in loader]


def validate(model, loader):
    with torch.inference_mode():
        for x in loader:
            model(x)


def main(model, loader):
    fully_shard(model)
    return evaluate(model, loader), validate(model, loader)
