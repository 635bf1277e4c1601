import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model, nnodes):
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())  # <- FSDP022
    fully_shard(model)
