import torch
import torch.multiprocessing as mp
from torch.distributed.fsdp import fully_shard


def worker(rank, model):
    torch.cuda.set_device(rank)
    fully_shard(model)


def main(model):
    mp.spawn(worker, args=(model,), nprocs=4)
