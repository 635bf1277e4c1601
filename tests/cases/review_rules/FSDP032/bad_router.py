import torch
from torch.distributed.fsdp import fully_shard
def setup(model, mesh):
    skip = set(model.router.parameters())
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh, ignored_params=skip)  # <- FSDP032
    return torch.optim.AdamW(model.parameters(), lr=1e-4)
def train(model, opt, loader):
    for x in loader:
        model(x).mean().backward()
        opt.step()
        opt.zero_grad()
