"""The Join context manager takes DDP, not FSDP."""

import torch
from _lab import Net, raises, shard
from torch.distributed.algorithms.join import Join
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def probe(rank, world_size):
    """Give it both kinds of FSDP model."""
    old = FSDP(Net(), device_id=torch.device("cpu"))
    text = raises((TypeError, ValueError, AttributeError, RuntimeError), "", lambda: Join([old]))
    raises((TypeError, ValueError, AttributeError, RuntimeError), "", lambda: Join([shard(Net())]))
    return {"Join([fsdp])": text[:120]}
