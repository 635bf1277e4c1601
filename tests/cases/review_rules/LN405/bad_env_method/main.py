import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def setup():
    dist.init_process_group("nccl", init_method="env://")


if __name__ == "__main__":
    setup()
