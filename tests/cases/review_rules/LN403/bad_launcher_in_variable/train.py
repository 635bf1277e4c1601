import torch
from torch.distributed.fsdp import fully_shard
