import torch
from torch.distributed.fsdp import MixedPrecisionPolicy


def make(options, reduce, dtype):
    a = MixedPrecisionPolicy(param_dtype=torch.bfloat16, **options)
    b = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduce)
    return a, b, MixedPrecisionPolicy(param_dtype=dtype)
