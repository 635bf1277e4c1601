import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
class Hook:
    def __init__(self, trainer):
        self.t = trainer
    def after_epoch(self, ep):
        sd = self.t.model.state_dict()
        self._write({"epoch": ep, "model": sd})
    def _write(self, blob):
        if dist.get_rank() == 0:
            torch.save(blob, "x.pt")  # <- FSDP041
class Trainer:
    def __init__(self, model, mesh):
        for b in model.blocks:
            fully_shard(b, mesh=mesh)
        self.model = fully_shard(model, mesh=mesh)
        self.hook = Hook(self)
    def run(self):
        self.hook.after_epoch(0)
