import torch
from torch.distributed.fsdp import fully_shard
from zoo import Gpt


def main(config, x):
    with torch.device("cuda"):
        model = Gpt(config)
    fully_shard(model)
    return model(x)
