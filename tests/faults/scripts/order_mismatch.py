"""FSDP2: counters are summed over the ranks in the order in which each rank first met their names."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

WIDTHS = {"tokens": 1, "lengths": 32, "sources": 8}


def reduce_counters(counters):
    for name, counter in counters.items():
        dist.all_reduce(counter)
        print(f"rank {dist.get_rank()}: reduced {name}", flush=True)


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=120))
    rank = dist.get_rank()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    met = ["tokens", "lengths", "sources"] if rank == 0 else ["lengths", "sources", "tokens"]
    counters = {name: torch.ones(WIDTHS[name]) for name in met}
    for step in range(1, 4):
        inputs = torch.randn(4, 16)
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: step {step}", flush=True)
    reduce_counters(counters)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
