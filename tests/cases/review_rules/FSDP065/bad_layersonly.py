import torch
from functools import partial
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
bf16 = partial(fully_shard, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
def main(m, mesh):
    for b in m.blocks:
        bf16(b, mesh=mesh)
    fully_shard(m, mesh=mesh)  # <- FSDP065
