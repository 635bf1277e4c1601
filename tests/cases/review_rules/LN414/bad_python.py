import os

from torch.distributed.fsdp import fully_shard

os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"  # <- LN414


def shard(model):
    fully_shard(model)
