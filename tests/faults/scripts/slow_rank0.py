"""FSDP2: rank 0 tokenizes the data set while the others wait for it at a barrier."""

import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

TIMEOUT_S = 10


def tokenize(shards):
    for shard in range(shards):
        print(f"rank 0: tokenizing shard {shard + 1}/{shards}", flush=True)
        time.sleep(0.5)


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=TIMEOUT_S))
    rank = dist.get_rank()
    dist.all_reduce(torch.zeros(1))
    if rank == 0:
        tokenize(shards=int(sys.argv[1]))
    dist.barrier()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    model(torch.randn(4, 16)).sum().backward()
    print(f"rank {rank}: trained", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
