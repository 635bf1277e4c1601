"""FSDP2: what happens to a DataLoader's worker happens to the rank."""

import mmap
import os
import signal
import sys
import tempfile

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Dataset


class Examples(Dataset):
    def __init__(self, how):
        self.how, self.main = how, os.getpid()

    def __len__(self):
        return 64

    def __getitem__(self, number):
        if number == 40 and os.getpid() != self.main and dist.get_rank() == 1:
            if self.how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)  # what the kernel does where memory runs out
            with tempfile.TemporaryFile() as file:  # a mapped page without anything behind it, as on a full /dev/shm
                file.truncate(mmap.PAGESIZE)
                page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
                file.truncate(0)
                page[0] = 1
        return torch.full((16,), float(number))


def main():
    dist.init_process_group("gloo")
    workers = int(sys.argv[2])
    loader = DataLoader(Examples(sys.argv[1]), batch_size=8, num_workers=workers)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step, inputs in enumerate(loader, start=1):
        model(inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {dist.get_rank()}: step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
