"""FSDP2: the address of rank 0 is a name that this machine cannot resolve."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    os.environ["MASTER_ADDR"] = "node-a.invalid"
    os.environ["MASTER_PORT"] = "29500"
    os.environ["TORCHELASTIC_USE_AGENT_STORE"] = "False"
    dist.init_process_group("gloo", timeout=timedelta(seconds=10))
    model = torch.nn.Linear(16, 16)
    fully_shard(model)
    model(torch.randn(4, 16)).sum().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
