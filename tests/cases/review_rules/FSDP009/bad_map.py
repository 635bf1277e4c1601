import torch
from torch.distributed.fsdp import fully_shard
def main(build, cfg, loader):
    model = build(cfg)
    for _ in map(fully_shard, model.layers):  # <- FSDP009
        pass
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for x in loader:
        model(x).sum().backward()
        opt.step()
        opt.zero_grad()
