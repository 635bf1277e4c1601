"""FSDP2: a package that is not there."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    import flash_attn_that_nobody_installed

    model = torch.nn.Linear(16, 16)
    fully_shard(model)
    model(torch.randn(4, 16)).sum().backward()
    print(flash_attn_that_nobody_installed.__version__)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
