"""ignore_frozen_params leaves frozen weights out; such a file is loaded with strict=False."""

import torch
from _lab import Net, raises, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict, set_model_state_dict


def probe(rank, world_size):
    """Freeze all but the head, save, load back strictly and not."""
    net = Net()
    net.requires_grad_(False)
    net.head.requires_grad_(True)
    shard(net)
    options = StateDictOptions(full_state_dict=True, cpu_offload=True, ignore_frozen_params=True)
    state = get_model_state_dict(net, options=options)
    assert sorted(state) == (["head.bias", "head.weight"] if rank == 0 else [])
    state = {name: torch.full_like(value, 2) for name, value in state.items()}
    strict = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    raises(RuntimeError, "Missing key(s)", lambda: set_model_state_dict(net, dict(state), options=strict))
    loose = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, strict=False)
    set_model_state_dict(net, dict(state), options=loose)
    assert bool((net.head.weight.full_tensor() == 2).all())
    return {"saved": ["head.bias", "head.weight"], "strict": "Missing key(s)", "strict=False": "loads"}
