import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def shard(model):
    policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
    for layer in model.layers:
        fully_shard(layer, mp_policy=policy)
    fully_shard(model)  # <- FSDP065
