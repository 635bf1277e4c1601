"""A block skipped on one rank only: its all-gather waits for the other rank."""

from datetime import timedelta

import torch.distributed as dist
from _lab import Net, batch, hangs
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard

WAIT_S = 3


class Skipping(Net):
    """Runs as many blocks as it is told."""

    def forward(self, x, blocks):
        """Use the first `blocks` blocks."""
        x = self.inp(x)
        for block in list(self.blocks)[:blocks]:
            x = block(x)
        return self.head(x)


def probe(rank, world_size):
    """Skip a block on both ranks, then on rank 1 alone."""
    short = dist.new_group(timeout=timedelta(seconds=WAIT_S))
    mesh = DeviceMesh.from_group(short, "cpu")
    net = Skipping()
    for block in net.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(net, mesh=mesh)
    net(batch(rank), 2).sum().backward()
    net(batch(rank), 1).sum().backward()  # the same on both ranks: fine
    dist.barrier()
    if rank == 0:
        assert hangs(lambda: net(batch(rank), 2).sum().backward(), at_least_s=0.8 * WAIT_S)
    else:
        try:
            net(batch(rank), 1)
        except RuntimeError as error:  # its peer gave up
            assert "imed out" in str(error) or "onnection" in str(error), error
    return {"skipped on both ranks": "runs", "skipped on one rank": f"waits {WAIT_S} s, then fails"}
