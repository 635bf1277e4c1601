import torch
from torch.distributed.fsdp import fully_shard
def optim(ctx):
    ctx["opt"] = torch.optim.AdamW(ctx["model"].parameters())
def shard(ctx):
    for m in ctx["model"].layers:
        fully_shard(m)
    fully_shard(ctx["model"])
def main(model):
    ctx = {"model": model}
    for stage in [shard, optim]:
        stage(ctx)
    return ctx
