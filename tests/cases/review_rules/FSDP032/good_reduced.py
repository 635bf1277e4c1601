import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model, loader):
    fully_shard(model, ignored_params={model.scale})
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for x in loader:
        model(x).sum().backward()
        dist.all_reduce(model.scale.grad, op=dist.ReduceOp.AVG)
        optimizer.step()
        optimizer.zero_grad()
