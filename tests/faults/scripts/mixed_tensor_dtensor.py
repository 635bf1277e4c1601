"""FSDP2: a plain tensor of the size of a parameter is added to the sharded one."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


def main():
    dist.init_process_group("gloo")
    model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    reference = [parameter.detach().clone() for parameter in model.parameters()]
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 4):
        inputs = torch.randn(4, 16)
        loss = (model(inputs) - inputs).square().mean()
        for parameter, start in zip(model.parameters(), reference, strict=True):
            loss = loss + 0.1 * (parameter - start).square().sum().full_tensor()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step} loss {loss.item()}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
