import os
import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
def setup():
    dist.init_process_group("nccl")
    return dist.get_rank()
def main(build):
    # torchrun --nnodes=4 --nproc-per-node=8
    dev = f"cuda:{setup()}"
    torch.cuda.set_device(dev)  # <- FSDP022
    m = build().to(dev)
    for b in m.blocks:
        fully_shard(b)
    fully_shard(m)
