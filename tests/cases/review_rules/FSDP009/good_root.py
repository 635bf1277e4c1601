import torch
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
from elsewhere import finish


def with_root(model):
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    return torch.optim.AdamW(model.parameters())


def root_by_caller(model):
    for block in model.blocks:
        fully_shard(block)
    return model


def unknown_hands(model):
    for block in model.blocks:
        fully_shard(block)
    model = finish(model)
    return torch.optim.AdamW(model.parameters())


def rest_is_replicated(model):
    for block in model.blocks:
        fully_shard(block)
    model = DDP(model)
    return torch.optim.AdamW(model.parameters())
