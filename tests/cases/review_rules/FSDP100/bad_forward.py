import torch
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config, x):
    with torch.device("meta"):  # <- FSDP100
        model = Gpt(config)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    return model(x)
