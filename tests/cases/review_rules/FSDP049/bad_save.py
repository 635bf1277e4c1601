import torch
from torch.distributed.fsdp import fully_shard


def main(model, path):
    fully_shard(model)
    model = torch.compile(model)
    torch.save(model.state_dict(), path)  # <- FSDP049
