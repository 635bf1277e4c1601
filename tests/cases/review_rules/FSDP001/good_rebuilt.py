import torch
from torch.distributed.fsdp import fully_shard


def rebuilt(model, resume):
    optimizer = torch.optim.AdamW(model.parameters())
    if resume:
        optimizer.load_state_dict(torch.load(resume))
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    return optimizer


def refilled(model):
    optimizer = torch.optim.AdamW(model.parameters())
    names = [name for name, _ in model.named_parameters()]
    fully_shard(model)
    new = dict(model.named_parameters())
    for group in optimizer.param_groups:
        group["params"] = [new[name] for name in names]
    return optimizer


def either(model, sharded):
    if not sharded:
        return model, torch.optim.AdamW(model.parameters())
    fully_shard(model)
    return model, torch.optim.AdamW(model.parameters())
