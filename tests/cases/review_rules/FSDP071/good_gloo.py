import torch
import torch.distributed as dist
from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard


def main(model, x):
    dist.init_process_group("cpu:gloo,cuda:nccl")
    fully_shard(model, offload_policy=CPUOffloadPolicy())
    model(x).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
