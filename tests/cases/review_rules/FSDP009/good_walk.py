import torch
from torch.distributed.fsdp import fully_shard


def all_of_them(model, classes):
    for module in reversed(list(model.modules())):
        if isinstance(module, classes):
            fully_shard(module)
    return torch.optim.AdamW(model.parameters())


def one_list(model):
    for part in [*model.layers, model]:
        fully_shard(part)
    return torch.optim.AdamW(model.parameters())


def stages(model_parts):
    for part in model_parts:
        for layer in part.layers.values():
            fully_shard(layer)
        fully_shard(part)
    return [torch.optim.AdamW(part.parameters()) for part in model_parts]
