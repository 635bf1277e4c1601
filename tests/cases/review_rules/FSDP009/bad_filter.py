import torch
from torch.distributed.fsdp import fully_shard
from model import Block, Llama
def shard(model, mesh):
    units = [m for m in model.modules() if isinstance(m, Block)]
    for u in units:
        fully_shard(u, mesh=mesh)  # <- FSDP009
    return model
def main(cfg, mesh, loader):
    model = shard(Llama(cfg), mesh)
    opt = torch.optim.AdamW(model.parameters())
    for b in loader:
        loss = model(b).mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
