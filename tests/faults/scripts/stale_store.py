"""FSDP2: the ranks meet through a file that an earlier run left behind."""

import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    time.sleep(5 * rank)  # its part of the data takes longer: the other finds the old address for sure
    dist.init_process_group(
        "gloo", init_method=f"file://{sys.argv[1]}", rank=rank, world_size=world, timeout=timedelta(seconds=15)
    )
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    model(torch.randn(4, 16)).square().mean().backward()
    print(f"rank {rank}: trained", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
