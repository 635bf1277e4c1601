"""FSDP2: a method other than forward uses the sharded parameters."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(16, 64)
        self.decoder = torch.nn.Linear(64, 16)

    def encode(self, inputs):
        return torch.relu(self.encoder(inputs))

    def forward(self, inputs):
        return self.decoder(self.encode(inputs))


def main():
    dist.init_process_group("gloo")
    model = Model()
    fully_shard(model)
    inputs = torch.randn(4, 16)
    hidden = model.encode(inputs)
    (model(inputs) - inputs + hidden.mean()).square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
