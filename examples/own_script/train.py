"""A training loop with FSDP2, as a script of your own. Usage: torchrun --nproc-per-node=2 train.py STEPS."""

# ruff: noqa: TID251 - the user's side of the boundary

import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard

try:
    import fsdp_heartbeat
except ImportError:  # started by hand
    fsdp_heartbeat = None


class Tower(torch.nn.Module):
    """Three linear layers, the same width throughout."""

    def __init__(self) -> None:
        """Draw the weights."""
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(32, 32) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Apply the layers to x, of shape (batch, 32)."""
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


def main(steps: int) -> None:
    """Train the tower to return its input."""
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = Tower()
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(rank)
    for step in range(1, steps + 1):
        x = torch.rand(16, 32, generator=generator)
        loss = (model(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if fsdp_heartbeat is not None:
            fsdp_heartbeat.beat(step, loss=mean.item() / world)
        if rank == 0:
            print(f"step {step} loss {mean.item() / world:.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]))
