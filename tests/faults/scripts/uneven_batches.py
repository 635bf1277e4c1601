"""FSDP2: the examples do not divide evenly, and the last rank gets fewer batches than the others."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset

EXAMPLES, BATCH = 37, 4


def loader_of(rank, world):
    mine = torch.randn(EXAMPLES, 16, generator=torch.Generator().manual_seed(0))[rank::world]
    return DataLoader(TensorDataset(mine), batch_size=BATCH, drop_last=rank > 0)


def train(model, optimizer, loader, rank):
    for number, (inputs,) in enumerate(loader, start=1):
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: batch {number} of {len(loader)}", flush=True)


def validate(model, rank):
    score = torch.tensor(float(rank))
    dist.all_reduce(score)
    return score


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=15))
    rank, world = dist.get_rank(), dist.get_world_size()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train(model, optimizer, loader_of(rank, world), rank)
    validate(model, rank)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
