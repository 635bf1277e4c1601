"""FSDP2: Adagrad makes its state at once, of the parameters as they were before they were sharded."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FSDPModule, fully_shard


def shard(model, optimizer):
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    assert isinstance(model, FSDPModule)
    states = [optimizer.state[parameter] for group in optimizer.param_groups for parameter in group["params"]]
    optimizer.state.clear()
    optimizer.param_groups[0]["params"] = list(model.parameters())
    for parameter, state in zip(model.parameters(), states, strict=True):
        optimizer.state[parameter] = state


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=1e-2)
    shard(model, optimizer)
    for step in range(1, 4):
        inputs = torch.randn(4, 16)
        (model(inputs) - inputs).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
