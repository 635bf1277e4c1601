import os

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model, policy, patience):
        self.main = os.environ["RANK"] == "0"
        self.chief = int(os.environ["RANK"]) == 0
        self.model = FSDP(model, auto_wrap_policy=policy)
        self.patience = patience

    def fit(self, loader, worse):
        while True:
            for x in loader:
                self.model(x).sum().backward()
            if self.chief and worse() > self.patience:  # <- FSDP098
                return
