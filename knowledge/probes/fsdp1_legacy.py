"""FSDP1 is still there and constructs without a deprecation warning; NO_SHARD and state_dict_type warn."""

import warnings

import torch
from _lab import Block, Net, batch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import ShardingStrategy, StateDictType
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


def _warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    kinds = (DeprecationWarning, FutureWarning)
    return result, [str(entry.message) for entry in caught if issubclass(entry.category, kinds)]


def _wrap(**options):
    return FSDP(Net(), device_id=torch.device("cpu"), auto_wrap_policy=ModuleWrapPolicy({Block}), **options)


def probe(rank, world_size):
    """Construct and train once, then use what is deprecated."""
    net, constructed = _warned(_wrap)
    assert constructed == [], constructed
    net(batch(rank)).sum().backward()
    _, no_shard = _warned(lambda: _wrap(sharding_strategy=ShardingStrategy.NO_SHARD))
    assert any("NO_SHARD" in text and "deprecated" in text for text in no_shard), no_shard

    def enter():
        with FSDP.state_dict_type(net, StateDictType.SHARDED_STATE_DICT):
            pass

    _, state_dict = _warned(enter)
    assert any("state_dict_type" in text and "deprecated" in text for text in state_dict), state_dict
    return {"constructor": "no warning", "NO_SHARD": "FutureWarning", "state_dict_type": "FutureWarning"}
