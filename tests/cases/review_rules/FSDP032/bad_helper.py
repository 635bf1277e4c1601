import torch
from torch.distributed import fsdp


def special(model):
    return {p for n, p in model.named_parameters() if n.endswith("scale")}


def setup(model):
    left_out = special(model)
    for layer in model.layers:
        fsdp.fully_shard(layer, ignored_params=left_out)  # <- FSDP032
    fsdp.fully_shard(model, ignored_params=left_out)
    return torch.optim.SGD(model.parameters(), lr=0.1)
