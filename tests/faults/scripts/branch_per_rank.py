"""FSDP2: the adapter for images is called only by ranks whose batch holds an image."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.text = torch.nn.Linear(16, 16)
        self.image = torch.nn.Linear(16, 48)
        self.head = torch.nn.Linear(16, 16)

    def forward(self, inputs, has_image):
        hidden = self.text(inputs)
        if has_image.any():
            hidden = hidden + self.image(inputs)[:, :16]
        return self.head(hidden)


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=120))
    rank = dist.get_rank()
    model = Model()
    for layer in (model.text, model.image, model.head):
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(1, 4):
        inputs = torch.randn(4, 16)
        has_image = torch.full((4,), rank == 1 and step == 2)
        model(inputs, has_image).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"rank {rank}: step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
