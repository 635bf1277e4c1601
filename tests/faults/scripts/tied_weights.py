"""FSDP2: the embedding and the head share a weight, and each is a unit of its own."""

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(32, 16)
        self.body = torch.nn.Linear(16, 16)
        self.head = torch.nn.Linear(16, 32, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        return self.head(self.body(self.embedding(tokens)))


def main():
    dist.init_process_group("gloo")
    model = Model()
    fully_shard(model.embedding)
    fully_shard(model.body)
    fully_shard(model.head)
    fully_shard(model)
    model(torch.randint(0, 32, (4, 8))).square().mean().backward()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
