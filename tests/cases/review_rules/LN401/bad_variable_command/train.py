import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
dist.init_process_group("nccl")
