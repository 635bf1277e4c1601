"""FSDP2: one rank raises over an example, before its first collective or while the others are in one."""

import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def parse(line):
    fields = line.split(",")
    return torch.tensor([float(field) for field in fields])


def batch_of(rank, step, bad):
    lines = [",".join(str(float(number)) for number in range(16)) for _ in range(4)]
    if rank == 1 and step == bad:
        lines[2] = lines[2].replace("7.0", "n/a")
    return torch.stack([parse(line) for line in lines])


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=120))
    rank, bad = dist.get_rank(), int(sys.argv[1])
    if bad == 0:
        batch_of(rank, 0, bad)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 5):
        inputs = batch_of(rank, step, bad)
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
