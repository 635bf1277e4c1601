"""FSDP2's state_dict() is sharded and silent; FSDP1's default is full and gathers; both alias live weights."""

import torch
from _lab import Net, shard
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode


def probe(rank, world_size):
    """Count collectives of state_dict() and full_tensor(); compare kinds, names and storage."""
    net = shard(Net())
    with CommDebugMode() as silent:
        state = net.state_dict()
    assert silent.get_total_counts() == 0, silent.get_comm_counts()
    assert all(isinstance(value, DTensor) for value in state.values())
    assert list(state) == list(Net().state_dict())
    with CommDebugMode() as loud:
        full = state["head.weight"].full_tensor()
    assert loud.get_total_counts() == 1
    assert full.shape == (8, 8)
    assert state["head.weight"].to_local().shape == (4, 8)
    with torch.no_grad():
        net.head.weight.to_local().fill_(7)
    assert bool((state["head.weight"].to_local() == 7).all()), "the state dict should alias the live shard"
    old = FSDP(Net(), device_id=torch.device("cpu"))
    full_state = old.state_dict()
    assert not any(isinstance(value, DTensor) for value in full_state.values())
    assert full_state["head.weight"].shape == (8, 8)
    return {"FSDP2": "DTensors, 0 collectives, live storage", "full_tensor()": "1 collective", "FSDP1": "full tensors"}
