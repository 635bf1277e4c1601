import torch
from torch.distributed.fsdp import fully_shard


class Saver:
    def __init__(self, model, rank):
        self.model = fully_shard(model)
        self.rank = rank

    def bundle(self, step):
        return {"model": {k: v.cpu() for k, v in self.model.state_dict().items()}, "step": step}

    def save(self, step):
        bundle = self.bundle(step)
        if self.rank != 0:
            return
        torch.save(bundle, f"{step}.pt")  # <- FSDP041
