"""Both import paths give the same fully_shard; the composable FSDP1 frontend is gone."""

from importlib import import_module

import torch.distributed._composable as composable
import torch.distributed.fsdp as public


def probe(rank, world_size):
    """Compare the objects behind the paths."""
    before = import_module("torch.distributed._composable.fsdp")
    module_before = import_module("torch.distributed._composable.fsdp.fully_shard")
    assert public.fully_shard is before.fully_shard is module_before.fully_shard
    assert public.FSDPModule is before.FSDPModule
    assert public.MixedPrecisionPolicy is before.MixedPrecisionPolicy
    assert public.fully_shard.__module__ == "torch.distributed.fsdp"
    assert not callable(getattr(composable, "fully_shard", None))
    return {
        "torch.distributed.fsdp": "public",
        "_composable.fsdp": "the same objects",
        "_composable.fully_shard": "gone",
    }
