import torch
from torch.distributed.fsdp import fully_shard
def shard(ctx):
    for m in ctx["model"].layers:
        fully_shard(m)
    fully_shard(ctx["model"])
def optim(ctx):
    ctx["opt"] = torch.optim.AdamW(ctx["model"].parameters())  # <- FSDP001
PIPELINE = [optim, shard]
def main(model):
    ctx = {"model": model}
    for stage in PIPELINE:
        stage(ctx)
    return ctx
