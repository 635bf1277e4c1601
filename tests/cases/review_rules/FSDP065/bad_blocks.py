import torch
from torch.distributed import fsdp


class Sharder:
    def __init__(self, mesh):
        self.common = {"mesh": mesh}
        self.policy = fsdp.MixedPrecisionPolicy(torch.bfloat16, torch.float32)

    def layers(self, model):
        for layer in model.layers:
            fsdp.fully_shard(layer, **self.common)  # <- FSDP065

    def apply(self, model):
        self.layers(model)
        fsdp.fully_shard(model, **self.common, mp_policy=self.policy)
