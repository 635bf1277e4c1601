import torch
import torch.distributed as dist
from torch.distributed.fsdp import CPUOffloadPolicy, OffloadPolicy, fully_shard


def default(model):
    dist.init_process_group()
    fully_shard(model, offload_policy=CPUOffloadPolicy())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)


def on_gpu(model):
    dist.init_process_group("cuda:nccl,cpu:gloo")
    fully_shard(model, offload_policy=OffloadPolicy())
