"""FSDP2: a command line with an option that the script does not have."""

import argparse

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    options = parser.parse_args()
    dist.init_process_group("gloo")
    model = torch.nn.Linear(16, 16)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate)
    model(torch.randn(4, 16)).sum().backward()
    optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
