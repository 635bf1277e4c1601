"""FSDP1's API on a fully_shard model: no instance, no methods, contexts that fail or do nothing."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.fsdp import FSDPModule, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.tensor import DTensor


def _in_state_dict_type(net):
    with FSDP.state_dict_type(net, StateDictType.FULL_STATE_DICT):
        return net.state_dict()


def probe(rank, world_size):
    """Try each of them."""
    net = shard(Net())
    net(batch(rank)).sum().backward()
    assert not isinstance(net, FSDP)
    assert isinstance(net, FSDPModule)
    failure = raises(KeyError, "None", lambda: _in_state_dict_type(net))
    with FSDP.summon_full_params(net):
        assert isinstance(net.head.weight, DTensor)
        assert net.head.weight.to_local().shape[0] == 8 // world_size
    missing = [name for name in ("no_sync", "clip_grad_norm_", "module") if not hasattr(net, name)]
    assert missing == ["no_sync", "clip_grad_norm_", "module"]
    assert FSDP.fsdp_modules(net) == []
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    assert torch.isfinite(norm.full_tensor())
    return {"isinstance FSDP": False, "state_dict_type": f"KeyError: {failure}", "summon_full_params": "does nothing"}
