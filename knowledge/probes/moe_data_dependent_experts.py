"""Experts as units of their own: ranks that route to different experts wait for each other."""

from datetime import timedelta

import torch.distributed as dist
from _lab import Block, batch, hangs
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

WAIT_S = 3


class Experts(nn.Module):
    """Runs the experts it is told; the others only with weight zero, if at all."""

    def __init__(self):
        """Make two experts of different size."""
        super().__init__()
        self.experts = nn.ModuleList([Block(), nn.Linear(8, 8)])

    def forward(self, x, chosen, every_expert):
        """Use one expert."""
        used = range(len(self.experts)) if every_expert else [chosen]
        return sum(self.experts[number](x) * float(number == chosen) for number in used)


def probe(rank, world_size):
    """Route rank 0 to expert 0 and rank 1 to expert 1, with and without the zero-weighted pass."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    mesh = DeviceMesh.from_group(short, "cpu")
    net = Experts()
    for expert in net.experts:
        fully_shard(expert, mesh=mesh)
    fully_shard(net, mesh=mesh)
    net(batch(rank), rank, every_expert=True).sum().backward()
    gradient = net.experts[1].weight.grad.full_tensor()
    assert float(gradient.abs().sum()) > 0
    dist.barrier()
    if rank == 0:
        assert hangs(lambda: net(batch(rank), rank, every_expert=False).sum().backward(), at_least_s=0.8 * WAIT_S)
    return {"every expert called": "trains", "different experts": f"waits {WAIT_S} s, then fails"}
