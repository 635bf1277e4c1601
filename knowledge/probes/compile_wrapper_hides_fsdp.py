"""torch.compile returns another module: an FSDP model inside of it is not seen by isinstance."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import FSDPModule, fully_shard


def probe(rank, world_size):
    """Compile a sharded model both ways, look at it, and shard it again."""
    wrapped = torch.compile(shard(Net()), backend="eager")
    assert not isinstance(wrapped, FSDPModule)
    assert isinstance(wrapped._orig_mod, FSDPModule)
    names = [name for name, _ in wrapped.named_parameters()]
    assert all(name.startswith("_orig_mod.") for name in names)
    in_place = shard(Net())
    in_place.compile(backend="eager")
    assert isinstance(in_place, FSDPModule)
    in_place(batch(rank)).sum().backward()
    assert in_place.head.weight.grad is not None
    again = "accepted, but without parameters of its own"
    assert isinstance(fully_shard(wrapped), FSDPModule)
    twice = raises(Exception, "", lambda: fully_shard(wrapped._orig_mod))
    return {"torch.compile(model)": "hides FSDPModule", "sharded again outside": again, "inside": twice[:60]}
