"""An overflow in one rank's FSDP1 shard: the plain GradScaler skips on that rank only."""

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler


def _step(rank, scaler):
    torch.manual_seed(0)
    net = FSDP(nn.Linear(4, 4), device_id=torch.device("cpu"))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler.scale(net(torch.ones(2, 4)).sum()).backward()
    flat = next(net.parameters())
    before = flat.detach().clone()
    if rank == 1:
        flat.grad.fill_(float("inf"))
    scaler.step(optimizer)
    scaler.update()
    return not torch.equal(before, flat.detach()), scaler.get_scale()


def probe(rank, world_size):
    """Overflow on rank 1 with both scalers."""
    plain = _step(rank, torch.amp.GradScaler("cpu", init_scale=8.0))
    assert plain == ((True, 8.0) if rank == 0 else (False, 4.0)), plain
    sharded = _step(rank, ShardedGradScaler("cpu", init_scale=8.0))
    assert sharded == (False, 4.0), sharded
    return {
        "GradScaler": "rank 0 stepped, scale 8; rank 1 skipped, scale 4",
        "ShardedGradScaler": "both skipped, scale 4",
    }
