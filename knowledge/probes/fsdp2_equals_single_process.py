"""FSDP2 training equals that of one process on the joined batch, apart from rounding."""

import torch
import torch.distributed as dist
from _lab import Net, batch, shard


def _train(net, data):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        net(data).pow(2).mean().backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()


def probe(rank, world_size):
    """Three AdamW steps with clipping, on both ranks' batches."""
    torch.manual_seed(0)
    single = Net()
    _train(single, torch.cat([batch(other) for other in range(world_size)]))
    torch.manual_seed(0)
    net = shard(Net())
    _train(net, batch(rank))
    dist.barrier()
    for left, right in zip(single.parameters(), net.parameters(), strict=True):
        torch.testing.assert_close(left.detach(), right.full_tensor().detach(), atol=1e-5, rtol=1e-4)
    return {"weights after three steps": "equal to those of one process on the joined batch"}
