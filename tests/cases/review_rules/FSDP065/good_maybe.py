from functools import partial

import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Sharder:
    def __init__(self, mesh, half: bool):
        policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32) if half else None
        self.unit = partial(fully_shard, mesh=mesh)
        self.extra = {"mp_policy": policy} if policy is not None else {}

    def __call__(self, model):
        for layer in model.layers:
            self.unit(layer, **self.extra)
        return self.unit(model, **self.extra)
