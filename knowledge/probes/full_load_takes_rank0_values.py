"""set_model_state_dict(full_state_dict=True) without a broadcast still takes rank 0's values, by communication."""

import torch
from _lab import Net, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.tensor import distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode


def probe(rank, world_size):
    """Hold other values on each rank and look whose arrive."""
    net = shard(Net())
    state = {name: torch.full_like(value, float(rank + 1)) for name, value in Net().state_dict().items()}
    set_model_state_dict(net, state, options=StateDictOptions(full_state_dict=True))
    assert bool((net.head.weight.full_tensor() == 1).all()), "rank 0's values should be everywhere"
    weight = net.head.weight
    own = torch.full((8, 8), float(rank + 1))
    with CommDebugMode() as silent:
        local = distribute_tensor(own, weight.device_mesh, weight.placements, src_data_rank=None)
    assert silent.get_total_counts() == 0
    assert bool((local.to_local() == rank + 1).all())
    return {"full_state_dict=True": "rank 0's values on all ranks", "src_data_rank=None": "own values, 0 collectives"}
