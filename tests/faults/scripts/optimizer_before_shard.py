"""FSDP2: the optimizer is made of the parameters as they were before they were sharded."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    inputs = torch.randn(4, 16)
    first = (model(inputs) - inputs).square().mean().item()
    for step in range(1, 11):
        loss = (model(inputs) - inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step} loss {loss.item():.6f}", flush=True)
    assert loss.item() < first, f"the loss does not go down: {first} at first, {loss.item()} after {step} steps"
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
