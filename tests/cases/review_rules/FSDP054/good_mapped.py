import torch
from torch.distributed.fsdp import fully_shard


def main(model, path):
    model.load_state_dict(torch.load(path, map_location="cpu", mmap=True))
    fully_shard(model)
