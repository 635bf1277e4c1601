"""FSDP1: an adapter beside frozen weights in one flat parameter."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    model[0].requires_grad_(False)
    sharded = FullyShardedDataParallel(model, device_id=torch.device("cpu"), use_orig_params=False)
    optimizer = torch.optim.AdamW(sharded.parameters(), lr=1e-3)
    for step in range(1, 4):
        sharded(torch.randn(4, 16)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
