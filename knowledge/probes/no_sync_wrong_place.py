"""no_sync belongs to the root of an FSDP1 model; an FSDP2 model has set_requires_gradient_sync."""

import torch
from _lab import Net, batch, raises, shard
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def probe(rank, world_size):
    """Enter no_sync on an inner unit, on the root, and on an FSDP2 model."""
    cpu = torch.device("cpu")
    net = FSDP(nn.Sequential(FSDP(nn.Linear(8, 8), device_id=cpu), nn.Linear(8, 8)), device_id=cpu)
    net(batch(rank)).sum().backward()

    def inner():
        with net.module[0].no_sync():
            pass

    text = raises(RuntimeError, "on inner FSDP instances is not supported", inner)
    net.zero_grad()
    with net.no_sync():
        net(batch(rank)).sum().backward()
    full = [parameter.grad.numel() for parameter in net.parameters()]
    net(batch(rank)).sum().backward()
    shards = [parameter.grad.numel() for parameter in net.parameters()]
    assert full == [2 * size for size in shards], (full, shards)
    missing = raises(AttributeError, "no_sync", lambda: shard(Net()).no_sync())
    return {"inner unit": text, "FSDP2": missing, "elements kept in no_sync": full, "after the sync": shards}
