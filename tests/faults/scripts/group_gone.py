"""FSDP2: the process group is destroyed before the last collective."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    fully_shard(model)
    loss = model(torch.randn(4, 16)).square().mean()
    loss.backward()
    dist.barrier()
    dist.destroy_process_group()
    total = loss.detach()
    dist.all_reduce(total)
    print("mean loss", total.item())


if __name__ == "__main__":
    main()
