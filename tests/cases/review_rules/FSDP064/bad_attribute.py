import torch
from torch.amp import autocast
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision


class Run:
    def __init__(self, model, policy):
        half = MixedPrecision(param_dtype=torch.float16, reduce_dtype=torch.float32)
        self.model = FSDP(model, auto_wrap_policy=policy, mixed_precision=half)
        self.context = autocast("cuda", dtype=torch.bfloat16)  # <- FSDP064

    def forward(self, x):
        with self.context:
            return self.model(x)
