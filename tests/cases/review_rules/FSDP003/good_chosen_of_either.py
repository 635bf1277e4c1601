import torch.nn as nn
from torch.distributed.fsdp import fully_shard

from towers import Image, Text


def shard(model):
    names = model.block_names
    chosen = [
        part
        for _, part in model.named_modules()
        if part.__class__.__name__ in names or (isinstance(part, nn.Embedding) and not model.tied)
    ]
    for part in chosen:
        fully_shard(part)
    fully_shard(model)


def main(kind):
    model = Image() if kind == "image" else Text()
    shard(model)
    return model
