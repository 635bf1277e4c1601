import torch
from torch.distributed.fsdp import fully_shard


def step(model, x):
    fully_shard(model)
    model(x).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    print(f"norm {norm.item():.3f}, {norm}")
    norm = norm.full_tensor()
    print(f"{norm:.3f}")
