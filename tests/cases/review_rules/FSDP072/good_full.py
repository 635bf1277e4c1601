import torch
from torch.distributed.fsdp import fully_shard


def main(model, x):
    fully_shard(model)
    loss = model(x).sum()
    loss.backward()
    norms = [p.grad.norm().full_tensor().item() for p in model.parameters()]
    local = [p.grad.to_local().norm().item() for p in model.parameters()]
    return loss.item(), norms, local
