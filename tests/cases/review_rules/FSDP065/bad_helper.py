import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
def blocks(m, mesh, mp=None):
    extra = {"mp_policy": mp} if mp else {}
    for b in m.layers:
        fully_shard(b, mesh=mesh, **extra)
def main(m, mesh):
    mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    blocks(m, mesh, mp)
    fully_shard(m, mesh=mesh)  # <- FSDP065
