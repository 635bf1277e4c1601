"""What named_parameters() shows after FSDP1: names, dimensions and counts, against FSDP2."""

import torch
from _lab import Block, Net, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


def probe(rank, world_size):
    """Look at flat parameters, original parameters, and FSDP2."""
    total = sum(parameter.numel() for parameter in Net().parameters())
    options = {"auto_wrap_policy": ModuleWrapPolicy({Block}), "device_id": torch.device("cpu")}
    flat = dict(FSDP(Net(), **options).named_parameters())
    assert all(name.endswith("_flat_param") for name in flat), list(flat)
    assert not any("bias" in name for name in flat)
    original = dict(FSDP(Net(), use_orig_params=True, **options).named_parameters())
    assert "_fsdp_wrapped_module.head.weight" in original, list(original)
    assert {parameter.ndim for parameter in original.values()} == {1}
    assert sum(parameter.numel() for parameter in original.values()) < total
    two = dict(shard(Net()).named_parameters())
    assert list(two) == [name for name, _ in Net().named_parameters()]
    assert two["head.weight"].ndim == 2
    assert sum(parameter.numel() for parameter in two.values()) == total
    local = sum(parameter.to_local().numel() for parameter in two.values())
    assert local == total // world_size
    return {
        "flat": next(iter(flat)),
        "original": next(iter(original)),
        "dimensions with original parameters": 1,
        "FSDP2": "old names, dimensions and counts",
    }
