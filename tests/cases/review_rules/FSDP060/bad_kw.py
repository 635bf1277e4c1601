import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
def policy(dtype="bfloat16"):
    kw = {"param_dtype": getattr(torch, dtype)}
    return MixedPrecisionPolicy(**kw)  # <- FSDP060
def main(m, mesh):
    for b in m.blocks:
        fully_shard(b, mesh=mesh, mp_policy=policy())
    fully_shard(m, mesh=mesh, mp_policy=policy())
