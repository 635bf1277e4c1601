"""A training script that was written for one GPU and fails on two: see docs/mending.md."""

# ruff: noqa: TID251 - the user's side of the boundary

import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

GPUS = 1


def main(epochs: int) -> None:
    """Train two layers to return their input."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    data = TensorDataset(torch.rand(64, 16))
    sampler = DistributedSampler(data, num_replicas=GPUS, rank=rank)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (inputs,) in DataLoader(data, batch_size=8, sampler=sampler):
            loss = (model(inputs) - inputs).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"rank {rank}: epoch {epoch} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]))
    os._exit(0)  # a thread of gloo may abort an interpreter that goes away
