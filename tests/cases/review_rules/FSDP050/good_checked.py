import torch
from torch.distributed.fsdp import fully_shard


def main(model, path):
    result = model.load_state_dict(torch.load(path, mmap=True), strict=False)
    assert not result.unexpected_keys
    fully_shard(model)
