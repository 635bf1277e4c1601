import torch
from torch.distributed.fsdp import fully_shard


def main(model, path):
    fully_shard(model)
    model.load_state_dict(torch.load(path, map_location="cpu"))  # <- FSDP043
