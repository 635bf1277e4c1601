import torch
from dataclasses import dataclass
from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
@dataclass
class Prec:
    param: torch.dtype = torch.float16
    reduce: torch.dtype = torch.float32
def policy(p: Prec):
    return MixedPrecisionPolicy(param_dtype=p.param, reduce_dtype=p.reduce)  # <- FSDP062
def main(m, loader, mesh):
    mp = policy(Prec())
    for b in m.blocks:
        fully_shard(b, mesh=mesh, mp_policy=mp)
    fully_shard(m, mesh=mesh, mp_policy=mp)
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
