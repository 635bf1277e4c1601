import torch
from torch.distributed.fsdp import fully_shard
class EMA:
    def swap(self, model):
        for p, s in zip(model.parameters(), self.shadow):
            p.data.copy_(s)  # <- FSDP052
def main(model, ema, x, mesh):
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    with torch.no_grad():
        model(x)
    EMA().swap(model)
    for p in model.parameters():
        p.data.mul_(0.99)
