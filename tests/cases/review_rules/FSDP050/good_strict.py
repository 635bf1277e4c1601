import torch
from torch.distributed.fsdp import fully_shard


def main(model, tokenizer, path):
    model.load_state_dict(torch.load(path, mmap=True))
    tokenizer.load_state_dict(torch.load(path, mmap=True), strict=False)
    fully_shard(model)
