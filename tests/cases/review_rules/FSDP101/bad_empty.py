import torch
from torch.distributed.fsdp import fully_shard
def materialise(m, dev):
    m.to_empty(device=dev)  # <- FSDP101
    return m
def main(cls, cfg, loader, mesh):
    with torch.device("meta"):
        m = cls(cfg)
    for b in m.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(m, mesh=mesh)
    m = materialise(m, "cuda")
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
