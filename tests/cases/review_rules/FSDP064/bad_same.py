import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def main(model, x):
    fully_shard(model, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    with torch.autocast("cuda", dtype=torch.bfloat16):  # <- FSDP064
        return model(x)
