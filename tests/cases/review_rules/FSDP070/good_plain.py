import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def step(model, policy, x, other):
    model = FSDP(model, auto_wrap_policy=policy)
    model(x).sum().backward()
    print(f"{model.clip_grad_norm_(1.0):.3f}")
    print(f"{torch.nn.utils.clip_grad_norm_(other.parameters(), 1.0):.3f}")
