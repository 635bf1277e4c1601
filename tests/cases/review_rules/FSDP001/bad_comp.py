import torch
import torch.distributed.fsdp as fsdp
def build(cfg, mesh):
    model = cfg.model_cls(cfg)
    trainable = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(trainable, lr=cfg.lr)  # <- FSDP001
    [fsdp.fully_shard(b, mesh=mesh) for b in model.blocks]
    fsdp.fully_shard(model, mesh=mesh)
    return model, opt
