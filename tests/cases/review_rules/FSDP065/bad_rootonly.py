import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
def main(m, mesh):
    kw = {"mesh": mesh}
    for b in m.blocks:
        fully_shard(b, **kw)  # <- FSDP065
    kw["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    fully_shard(m, **kw)
