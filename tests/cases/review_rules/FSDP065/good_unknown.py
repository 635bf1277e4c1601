import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def shard(model, **options):
    for layer in model.layers:
        fully_shard(layer, **options)
    fully_shard(model, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
