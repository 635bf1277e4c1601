"""FSDP2: one rank's data holds a NaN, and a step later every rank has it."""

import math

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 7):
        inputs = torch.randn(4, 16)
        if rank == 1 and step == 3:
            inputs[2, 5] = math.nan  # an empty field of a table
        loss = (model(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: step {step} loss {loss.item():.4f}", flush=True)
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if not math.isfinite(mean.item()):
            raise FloatingPointError(f"loss is {mean.item()} at step {step}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
