import torch
from torch.distributed.fsdp import fully_shard
class Engine:
    def __init__(self, module, mesh):
        self.module = module
        self.mesh = mesh
        self.build_opt()
        self.parallelize()
    @property
    def trainable(self):
        return [p for p in self.module.parameters() if p.requires_grad]
    def build_opt(self):
        self.optim = torch.optim.AdamW(self.trainable, lr=1e-4)  # <- FSDP001
    def parallelize(self):
        for layer in self.module.layers:
            fully_shard(layer, mesh=self.mesh)
        fully_shard(self.module, mesh=self.mesh)
