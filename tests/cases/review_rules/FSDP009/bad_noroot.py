import torch
from torch.distributed.fsdp import fully_shard
def wrap_model(model, mesh, mp):
    kwargs = {"mesh": mesh, "mp_policy": mp}
    for layer_id, block in model.layers.items():
        fully_shard(block, **kwargs)  # <- FSDP009
    return model
class Trainer:
    def __init__(self, model, mesh, mp):
        self.model = wrap_model(model, mesh, mp)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
    def step(self, x):
        loss = self.model(x).mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
