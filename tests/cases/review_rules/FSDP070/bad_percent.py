import torch
from torch.distributed.fsdp import fully_shard


def step(model, x):
    fully_shard(model)
    model(x).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    print("norm %.3f" % norm)  # <- FSDP070
