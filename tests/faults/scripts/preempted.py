"""FSDP2: the scheduler takes the machine back while the job trains."""

import os
import signal
import time

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 600):
        inputs = torch.randn(4, 16)
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: step {step}", flush=True)
        if rank == 0 and step == 3:
            os.kill(os.getppid(), signal.SIGTERM)  # the launcher gets what a scheduler sends
        time.sleep(0.1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
