import torch
import torch.distributed.fsdp as f


class Run:
    def __init__(self, model, wrap):
        self.half = f.MixedPrecision(param_dtype=torch.float16)  # <- FSDP062 FSDP060
        self.model = self.wrapped(model, wrap)

    def wrapped(self, model, wrap):
        return f.FullyShardedDataParallel(model, auto_wrap_policy=wrap, mixed_precision=self.half)

    def step(self, batch):
        loss = self.model(batch).mean()
        loss.backward()
