import torch
from torch.distributed._fsdp import fully_shard
from torch.distributed.fsdp.fully_shard import FSDPModule  # <- FSDP120
from torch.distributed.fsdp.wrap import always_wrap_policy as wrap_all
import torch.distributed.fsdp._common_utils as cu


def f(m):
    return fully_shard(m)
