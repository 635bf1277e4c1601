import torch
from torch.distributed.fsdp import fully_shard
class Base:
    def __init__(self, model, mesh):
        self.model, self.mesh = model, mesh
        self.setup_optimizer()
        self.setup_parallel()
    def setup_optimizer(self):
        raise NotImplementedError
    def setup_parallel(self):
        for m in self.model.layers:
            fully_shard(m, mesh=self.mesh)
        fully_shard(self.model, mesh=self.mesh)
class Sft(Base):
    def setup_optimizer(self):
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-5)  # <- FSDP001
