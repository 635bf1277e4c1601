import torch
from torch.distributed.fsdp import MixedPrecisionPolicy

a = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
b = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
c = MixedPrecisionPolicy()
