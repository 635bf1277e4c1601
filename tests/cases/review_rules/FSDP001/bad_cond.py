import torch
from torch.distributed.fsdp import fully_shard
def make(model, cfg, mesh):
    if cfg.optim == "sgd":
        opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)  # <- FSDP001
    else:
        opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)  # <- FSDP001
    if cfg.shard:
        for l in model.layers:
            fully_shard(l, mesh=mesh)
        fully_shard(model, mesh=mesh)
    return opt
