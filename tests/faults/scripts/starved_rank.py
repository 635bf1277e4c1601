"""FSDP2: one rank's loader waits for a file that never comes; the others wait for that rank."""

import time
from pathlib import Path

import fsdp_heartbeat
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def load_batch(step, rank):
    while rank == 1 and step == 3 and not Path("shard-3.bin").exists():
        time.sleep(0.2)
    return torch.randn(4, 16)


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 6):
        inputs = load_batch(step, rank)
        loss = (model(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        fsdp_heartbeat.beat(step, loss=loss.item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
