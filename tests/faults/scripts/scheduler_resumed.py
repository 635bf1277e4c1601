"""FSDP2: the schedule is built again for an optimizer that does not know its first learning rate."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Linear(16, 16)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    done = 100
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=200, last_epoch=done)
    for step in range(done + 1, done + 4):
        model(torch.randn(4, 16)).sum().backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(f"step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
