import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model, nnodes):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    fully_shard(model)


def modulo(model):
    torch.cuda.set_device(dist.get_rank() % torch.cuda.device_count())
    fully_shard(model)
