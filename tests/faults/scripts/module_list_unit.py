"""FSDP2: the list of the layers is made a unit, which is never called."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(3))

    def forward(self, hidden):
        for layer in self.layers:
            hidden = layer(hidden)
        return hidden


def main():
    dist.init_process_group("gloo")
    model = Model()
    fully_shard(model.layers)
    fully_shard(model)
    model(torch.randn(4, 16)).square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
