import torch
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
def ctx():
    return torch.autocast("cuda", dtype=torch.bfloat16)  # <- FSDP064
def main(m, loader, mesh):
    mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for b in m.blocks:
        fully_shard(b, mesh=mesh, mp_policy=mp)
    fully_shard(m, mesh=mesh, mp_policy=mp)
    for x in loader:
        with ctx():
            loss = m(x).mean()
        loss.backward()
