import torch
from torch.distributed.fsdp import fully_shard


def main(model):
    model.scale.requires_grad_(False)
    fully_shard(model, ignored_params={model.scale})
    return torch.optim.AdamW(model.parameters())


def none(model):
    fully_shard(model, ignored_params=None)
