"""FSDP2: the learning rate is far too high."""

import math
import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    lr = float(sys.argv[1])
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for step in range(1, 30):
        inputs = torch.randn(4, 16)
        loss = (model(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: step {step} loss {loss.item():.4g} lr {lr}", flush=True)
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if not math.isfinite(mean.item()):
            raise FloatingPointError(f"loss is {mean.item()} at step {step}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
