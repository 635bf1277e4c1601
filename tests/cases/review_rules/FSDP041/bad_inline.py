import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model, path):
    fully_shard(model)
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), path)  # <- FSDP041
