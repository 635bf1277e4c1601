import torch
from torch.distributed.fsdp import fully_shard
def build(cls, cfg):
    with torch.device("meta"):
        return cls(cfg)
def main(cls, cfg, loader, mesh):
    m = build(cls, cfg)
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        m(x).mean().backward()  # <- FSDP100
        opt.step()
        opt.zero_grad()
