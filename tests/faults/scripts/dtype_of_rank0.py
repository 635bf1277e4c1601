"""FSDP2: rank 0 loads the weights in bf16, the others make theirs in fp32, and rank 0's are sent to all."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=120))
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    if dist.get_rank() == 0:
        model.to(torch.bfloat16)  # as its file says
    for name, parameter in model.named_parameters():
        dist.broadcast(parameter.data, src=0)
        print(f"rank {dist.get_rank()}: got {name} {parameter.dtype}", flush=True)
    fully_shard(model)
    model(torch.randn(4, 16)).square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
