import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model, policy):
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.optimizer = torch.optim.AdamW(self.model.parameters())

    @torch.inference_mode()  # <- FSDP089
    def evaluate(self, x):
        return self.model(x)

    def fit(self, loader, x):
        print(self.evaluate(x))
        for batch in loader:
            self.model(batch).sum().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
