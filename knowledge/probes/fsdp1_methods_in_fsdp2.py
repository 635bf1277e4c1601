"""Which methods of FSDP1 a fully_shard model lacks, and what stands in for them."""

import torch
from _lab import Net, batch, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import FSDPModule, FullyShardedDataParallel
from torch.distributed.tensor import DTensor

GONE = (
    "no_sync",
    "clip_grad_norm_",
    "summon_full_params",
    "state_dict_type",
    "optim_state_dict",
    "full_optim_state_dict",
)
INSTEAD = ("set_requires_gradient_sync", "unshard", "reshard", "set_modules_to_forward_prefetch")


def probe(rank, world_size):
    """Look for the methods, then use the replacements."""
    assert all(hasattr(FullyShardedDataParallel, name) for name in GONE)
    net = shard(Net())
    assert not any(hasattr(net, name) for name in GONE), [name for name in GONE if hasattr(net, name)]
    assert all(hasattr(FSDPModule, name) for name in INSTEAD)
    net(batch(rank)).sum().backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    assert all(isinstance(value, DTensor) for value in net.state_dict().values())
    full = get_model_state_dict(net, options=StateDictOptions(full_state_dict=True))
    assert not any(isinstance(value, DTensor) for value in full.values())
    net.unshard()
    assert not isinstance(net.inp.weight, DTensor)
    net.reshard()
    return {"gone": list(GONE), "instead": list(INSTEAD)}
