import torch
from torch.distributed.fsdp import fully_shard


def build(model):
    fully_shard(model)
    return torch.optim.AdamW([p for p in model.parameters() if p.dim() >= 2])
