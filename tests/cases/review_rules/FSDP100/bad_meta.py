import torch
from torch.distributed.fsdp import fully_shard
def build(cls, cfg):
    with torch.device("meta"):  # <- FSDP100
        return cls(cfg)
def main(cls, cfg, loader, mesh):
    m = build(cls, cfg)
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
