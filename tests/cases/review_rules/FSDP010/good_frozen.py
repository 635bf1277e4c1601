import torch
from torch.distributed.fsdp import fully_shard


def adapters(model):
    model.to(torch.float32)
    model.base.requires_grad_(False)
    model.base.to(torch.bfloat16)
    fully_shard(model)
