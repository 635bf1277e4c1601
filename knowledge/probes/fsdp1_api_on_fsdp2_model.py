"""FSDP1's API on a fully_shard model: no instance, no methods, contexts that fail or do nothing."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import FSDPModule, StateDictType
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.tensor import DTensor

GONE = ("no_sync", "clip_grad_norm_", "summon_full_params", "state_dict_type", "optim_state_dict")


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
    assert all(hasattr(FSDP, name) for name in GONE)
    assert not any(hasattr(net, name) for name in (*GONE, "module"))
    assert FSDP.fsdp_modules(net) == []
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    assert torch.isfinite(norm.full_tensor())
    full = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    assert all(isinstance(value, DTensor) for value in net.state_dict().values())
    assert not any(isinstance(value, DTensor) for value in full.values())
    return {"isinstance FSDP": False, "state_dict_type": f"KeyError: {failure}", "summon_full_params": "does nothing"}
