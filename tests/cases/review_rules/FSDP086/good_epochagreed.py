import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main(model, optimizer, loader, epochs, target_steps):
    fully_shard(model)
    steps = 0
    for epoch in range(epochs):
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
        if loss.item() > 3:
            print("high")
        stop = torch.tensor(int(loss.item() > 3.0), device="cuda")
        dist.all_reduce(stop, op=dist.ReduceOp.MAX)
        if stop.item():
            break
        if steps >= target_steps:
            break
