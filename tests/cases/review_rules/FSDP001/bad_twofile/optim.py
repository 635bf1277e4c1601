import torch
def build_optimizer(cfg, model):
    cls = getattr(torch.optim, cfg.name)
    return cls(model.parameters(), lr=cfg.lr)  # <- FSDP001
