import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(model, policy):
    dist.init_process_group("nccl")
    model = model.cuda()  # <- FSDP021
    return FSDP(model, auto_wrap_policy=policy)
