import torch
from torch.distributed.fsdp import fully_shard
class Groups:
    def __init__(self, model, wd):
        self.decay = [p for n, p in model.named_parameters() if p.ndim >= 2]
        self.other = [p for n, p in model.named_parameters() if p.ndim < 2]
        self.wd = wd
    def as_list(self):
        return [dict(params=self.decay, weight_decay=self.wd), dict(params=self.other, weight_decay=0.0)]
def main(build, mesh):
    model = build()
    groups = Groups(model, 0.1)  # <- FSDP001
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return torch.optim.AdamW(groups.as_list(), lr=1e-4)
