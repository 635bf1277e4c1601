import torch
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard


def context(dtype=torch.bfloat16):
    return torch.autocast("cuda", dtype=dtype)


def main(model, x):
    fully_shard(model, offload_policy=CPUOffloadPolicy())
    with context():
        return model(x)
