"""A first forward under inference_mode breaks training; after a training step, or with no_grad, it does not."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def _train(net, rank):
    net(batch(rank)).sum().backward()


def probe(rank, world_size):
    """Run a sanity evaluation before training, in both modes, and inference_mode after a step."""
    first = shard(Net())
    with torch.inference_mode():
        first(batch(rank))
    text = raises(RuntimeError, "nference tensor", lambda: _train(first, rank))
    clean = shard(Net())
    with torch.no_grad():
        clean(batch(rank))
    _train(clean, rank)
    with torch.inference_mode():
        clean(batch(rank))
    _train(clean, rank)
    old = FSDP(Net(), device_id=torch.device("cpu"))
    with torch.inference_mode():
        old(batch(rank))
    raises(Exception, "", lambda: _train(old, rank))
    return {"inference_mode first": text[:60], "no_grad first": "trains", "inference_mode later": "trains"}
