import torch
from torch.distributed.fsdp import fully_shard
def warm(model, x):
    with torch.no_grad():
        model(x)
def main(model, x, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    warm(model, x)
    return torch.optim.AdamW(model.parameters())  # <- FSDP052
