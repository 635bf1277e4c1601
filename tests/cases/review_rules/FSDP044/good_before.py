import torch
from torch.distributed.fsdp import fully_shard


def main(model, path):
    model.load_state_dict(torch.load(path, mmap=True), assign=True)
    fully_shard(model)
