import torch
from torch.distributed.fsdp import fully_shard
def decay_groups(m, wd):
    decay, rest = [], []
    for n, p in m.named_parameters():
        if not p.requires_grad:
            continue
        (rest if n.endswith("bias") else decay).append(p)
    return [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]
class Trainer:
    def __init__(self, model, mesh):
        self.model = model
        self.mesh = mesh
        self.groups = decay_groups(self.model, 0.1)  # <- FSDP001
        self._shard()
        self.opt = torch.optim.AdamW(self.groups, lr=1e-4)
    def _shard(self):
        for layer in self.model.layers:
            fully_shard(layer, mesh=self.mesh)
        fully_shard(self.model, mesh=self.mesh)
