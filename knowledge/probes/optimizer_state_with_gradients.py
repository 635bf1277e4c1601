"""get/set_optimizer_state_dict of a fresh optimizer while gradients exist: the state is not initialised."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)


def probe(rank, world_size):
    """Ask between backward and the first step, then after zero_grad."""
    net = shard(Net())
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    full = StateDictOptions(full_state_dict=True)
    saved = get_optimizer_state_dict(net, optimizer, options=full)
    late = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(batch(rank)).sum().backward()
    assert get_optimizer_state_dict(net, late)["state"] == {}, "gradients exist, so no state is made"
    message = raises(AssertionError, "", lambda: set_optimizer_state_dict(net, late, saved, options=full))
    late.zero_grad()
    assert len(get_optimizer_state_dict(net, late)["state"]) == 12
    set_optimizer_state_dict(net, late, saved, options=full)
    return {"with gradients": "0 entries", "set with full_state_dict": message, "after zero_grad": "12 entries"}
