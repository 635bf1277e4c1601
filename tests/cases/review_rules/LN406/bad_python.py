import os

from torch.distributed.fsdp import fully_shard

os.environ["NCCL_ASYNC_ERROR_HANDLING"] = "1"  # <- LN406


def shard(model):
    fully_shard(model)
