"""A parameter group without parameters loses its hyper-parameters in set_optimizer_state_dict."""

import torch
from _lab import Net, batch, raises, shard
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict


def _resumed(net, groups):
    optimizer = torch.optim.AdamW(groups, lr=0.1)
    saved = get_optimizer_state_dict(net, optimizer)
    again = torch.optim.AdamW(groups, lr=0.1)
    set_optimizer_state_dict(net, again, saved)
    return again


def probe(rank, world_size):
    """Resume with the empty group first, last and not at all, then take a step."""
    net = shard(Net())
    everything = list(net.parameters())

    def step(optimizer):
        net(batch(rank)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    first = _resumed(net, [{"params": []}, {"params": everything}])
    message = raises(KeyError, "betas", lambda: step(first))
    net.zero_grad()
    last = _resumed(net, [{"params": everything}, {"params": []}])
    kept = "betas" in last.param_groups[1]
    step(_resumed(net, [{"params": everything}]))
    return {"empty group first": f"KeyError {message}", "empty group last keeps betas": kept, "none": "steps"}
