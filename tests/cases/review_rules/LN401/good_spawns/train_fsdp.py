import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.fsdp import fully_shard


def worker(rank, model):
    dist.init_process_group("nccl", rank=rank, world_size=4)
    fully_shard(model)
    dist.destroy_process_group()


def main(model):
    mp.spawn(worker, args=(model,), nprocs=4)
