"""The answer is looked at, in another function."""

import torch
from torch.distributed.fsdp import fully_shard


def complain(keys):
    if keys.missing_keys:
        raise ValueError(keys.missing_keys)


def load(model, path):
    keys = model.load_state_dict(torch.load(path, mmap=True), strict=False)
    complain(keys)


def main(model, path):
    load(model, path)
    fully_shard(model)
