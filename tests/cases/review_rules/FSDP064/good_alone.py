import torch
from torch.distributed.fsdp import fully_shard


def main(model, x):
    fully_shard(model)
    with torch.autocast("cuda", dtype=torch.float16):
        return model(x)
