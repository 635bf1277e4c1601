import torch
from torch.distributed.fsdp import fully_shard
class T:
    def __init__(self, model, mesh):
        for b in model.blocks:
            fully_shard(b, mesh=mesh)
        self.model = torch.compile(fully_shard(model, mesh=mesh))
    def save(self, path):
        sd = self.model.state_dict()  # <- FSDP049
        torch.save({"model": sd}, path)
