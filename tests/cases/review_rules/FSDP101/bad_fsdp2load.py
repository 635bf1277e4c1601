import torch
from torch.distributed.fsdp import fully_shard
def build_on_meta(cls, cfg, mesh):
    with torch.device("meta"):
        model = cls(cfg)
    for b in model.layers:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model.to_empty(device="cuda")  # <- FSDP101
def main(cls, cfg, loader, mesh):
    m = build_on_meta(cls, cfg, mesh)
    opt = torch.optim.AdamW(m.parameters())
    for x in loader:
        m(x).mean().backward()
        opt.step()
        opt.zero_grad()
