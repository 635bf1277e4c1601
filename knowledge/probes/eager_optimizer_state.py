"""Optimizers that make their state when built: before sharding it is full and stays keyed by the old parameters."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.tensor import DTensor


def probe(rank, world_size):
    """Adagrad before and after; put the new parameters into the old groups, and try to save."""
    net = Net()
    early = torch.optim.Adagrad(net.parameters(), lr=0.1)
    assert len(early.state) == 12
    shard(net)
    early.param_groups[0]["params"] = list(net.parameters())
    stale = [state["sum"] for parameter, state in early.state.items() if not isinstance(parameter, DTensor)]
    assert len(stale) == 12
    assert not any(isinstance(full, DTensor) for full in stale)
    message = raises(KeyError, "", early.state_dict)
    assert message
    net(batch(rank)).sum().backward()
    late = torch.optim.Adagrad(net.parameters(), lr=0.1)
    assert isinstance(next(iter(late.state.values()))["sum"], DTensor)
    late.step()
    late.state_dict()
    adam = torch.optim.AdamW(net.parameters())
    assert len(adam.state) == 0
    return {"stale full state entries": len(stale), "state_dict()": "KeyError", "Adagrad built after": "sharded state"}
