import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model, path, optimizer_config):
    fully_shard(model)
    torch.save(model.state_dict(), f"{path}.{dist.get_rank()}")
    if dist.get_rank() == 0:
        torch.save(optimizer_config, path)
