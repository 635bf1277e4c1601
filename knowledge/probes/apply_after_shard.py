"""to() and friends reshard first and keep the sharding; a dtype change works only before the first forward."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Cast before the first forward and train; cast after one and fail."""
    early = shard(Net())
    before = early.head.weight
    early.to(torch.bfloat16)
    assert isinstance(early.head.weight, DTensor)
    assert early.head.weight.dtype is torch.bfloat16
    early(batch(rank).bfloat16()).sum().backward()
    assert early.head.weight.grad.dtype is torch.bfloat16
    late = shard(Net())
    with torch.no_grad():
        late(batch(rank))
    assert not isinstance(late.head.weight, DTensor)
    late.to(torch.bfloat16)
    assert isinstance(late.head.weight, DTensor)
    message = raises(RuntimeError, "dtype", lambda: late(batch(rank).bfloat16()))
    return {
        "cast before the first forward": "trains",
        "the parameter object": "same" if early.head.weight is before else "another",
        "cast after a forward": message[:60],
    }
