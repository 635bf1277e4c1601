import torch
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def train(model, loader, optimizer):
    policy = MixedPrecisionPolicy(param_dtype=torch.half, reduce_dtype=torch.float32)  # <- FSDP062
    fully_shard(model, mp_policy=policy)
    for x in loader:
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
