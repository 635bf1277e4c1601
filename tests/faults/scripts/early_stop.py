"""FSDP2: each rank stops when its own validation loss no longer falls."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class EarlyStopping:
    def __init__(self, patience):
        self.best, self.bad, self.patience = float("inf"), 0, patience

    def should_stop(self, loss):
        self.bad = 0 if loss < self.best else self.bad + 1
        self.best = min(self.best, loss)
        return self.bad >= self.patience


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=15))
    rank = dist.get_rank()
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    stopping = EarlyStopping(patience=2)
    for step in range(1, 9):
        inputs = torch.randn(4, 16)
        loss = (model(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        local_loss = torch.tensor(1.0 / step if rank == 0 else 1.0)
        print(f"rank {rank}: step {step} validation loss {local_loss.item():.3f}", flush=True)
        if stopping.should_stop(local_loss.item()):
            print(f"rank {rank}: early stopping at step {step}", flush=True)
            break
    total = torch.zeros(64)
    dist.all_reduce(total)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
