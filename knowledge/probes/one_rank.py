"""With one rank nothing is sharded: FSDP2 holds everything, FSDP1 says that it switches to NO_SHARD."""

import warnings

import torch
from _lab import Net, batch, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

WORLD_SIZE = 1


def probe(rank, world_size):
    """Shard over one rank with both generations and look at what is stored."""
    assert world_size == 1
    net = shard(Net())
    whole = sum(parameter.numel() for parameter in net.parameters())
    local = sum(parameter.to_local().numel() for parameter in net.parameters())
    assert local == whole, (local, whole)
    net(batch(rank)).sum().backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        FSDP(Net(), device_id=torch.device("cpu"))
    messages = [str(entry.message) for entry in caught if "world size is 1" in str(entry.message)]
    assert messages, [str(entry.message) for entry in caught]
    assert "NO_SHARD" in messages[0], messages
    return {"stored of the parameters": "all", "FSDP1": messages[0][:60]}
