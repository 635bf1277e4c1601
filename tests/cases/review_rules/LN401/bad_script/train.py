import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model):
    dist.init_process_group("nccl")
    fully_shard(model)
    dist.destroy_process_group()
