import torch
from torch.distributed.fsdp import fully_shard
from zoo import StochasticRoundingAdamW


def serve(model):
    model.to(torch.bfloat16)
    fully_shard(model)
    return model


def other(model, x):
    model.to(torch.bfloat16)
    fully_shard(model)
    optimizer = StochasticRoundingAdamW(model.parameters())
    model(x).sum().backward()
    optimizer.step()
